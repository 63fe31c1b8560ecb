"""Records of every shape, and the comparison of what was sent with what came back."""

import time
from collections.abc import Iterable, Sequence

from support.drivers.records import ClientRecord, Driver

NOW_MS = (int(time.time()) - 3600) * 1000  # Not old, or retention takes the records away.


def varied_records(driver: Driver, partition: int = 0) -> list[ClientRecord]:
    """With and without key, value and headers, as far as the client can send them; each with a timestamp of its own."""
    shapes = [
        ClientRecord(b"key", b"value"),
        ClientRecord(None, b"no key"),
        ClientRecord(b"tombstone", None),
        ClientRecord(b"empty value", b""),
        ClientRecord(b"long", b"0123456789" * 500),
    ]
    if driver.has_headers:
        shapes.append(ClientRecord(b"headers", b"with two", (("first", b"1"), ("second", b"two words"))))
        shapes.append(ClientRecord(None, b"twice the same name", (("name", b"a"), ("name", b"b"))))
    return stamped([shape._replace(partition=partition) for shape in shapes], driver)


def numbered_records(driver: Driver, count: int, partition: int = 0) -> list[ClientRecord]:
    shapes = [ClientRecord(b"key", b"value %d" % number, partition=partition) for number in range(count)]
    return stamped(shapes, driver)


def stamped(records: Sequence[ClientRecord], driver: Driver) -> list[ClientRecord]:
    """Timestamps 1 s apart, where the client can set them."""
    if not driver.sets_timestamps:
        return list(records)
    return [record._replace(timestamp=NOW_MS + 1000 * number) for number, record in enumerate(records)]


def assert_same(received: Iterable[ClientRecord], sent: Sequence[ClientRecord], *, timestamps: bool = True) -> None:
    """Equal in everything that was set. Values are compared by themselves first: a diff of 900 KB helps nobody."""
    received = list(received)
    assert [len(record.value or b"") for record in received] == [len(record.value or b"") for record in sent]
    for record, like in zip(received, sent, strict=True):
        timestamp = record.timestamp if timestamps and like.timestamp is not None else like.timestamp
        assert record._replace(offset=like.offset, timestamp=timestamp) == like
