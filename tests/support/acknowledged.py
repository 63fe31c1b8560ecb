"""A producer that runs beside a test and remembers what was acknowledged, and the check that all of it is there."""

import threading
import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, Message, Producer

from ottla.records.record import Record
from support.raw_kafka import RawKafka
from support.raw_requests import LATEST, fetch, headers_in, list_offsets, records_in

AWAIT_SECONDS_MAX = 60
# So many records are under way at once; enough to keep requests in flight, few enough that a flush ends soon.
IN_FLIGHT_MAX = 2000


class AcknowledgedProducer:
    """Sends numbered records until it is stopped. Every value is unique and says which record it is."""

    def __init__(self, address: str, topic: str, config: Mapping[str, Any] | None = None) -> None:
        self._topic = topic
        self._producer = Producer(
            {
                "bootstrap.servers": address,
                "broker.address.family": "v4",
                "log_level": 0,
                "linger.ms": 2,
                "batch.size": 50_000,  # smaller than the segments of any test
                "message.timeout.ms": 60_000,
                "reconnect.backoff.ms": 20,
                "reconnect.backoff.max.ms": 100,
                "queue.buffering.max.messages": 10 * IN_FLIGHT_MAX,
                **(config or {}),
            }
        )
        self.values: dict[int, bytes] = {}
        self.errors: list[str] = []
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="producer")

    def __enter__(self) -> "AcknowledgedProducer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def count(self) -> int:
        return len(self.values)

    def await_more(self, count: int = 1) -> None:
        """Until so many more records have been acknowledged."""
        target = self.count + count
        deadline = time.monotonic() + AWAIT_SECONDS_MAX
        while self.count < target:
            assert time.monotonic() < deadline, f"{self.count} acknowledged, {target} awaited: {self.errors[:3]}"
            time.sleep(0.005)

    def stop(self) -> None:
        """Send no more, and wait for what is under way."""
        self._stopping.set()
        self._thread.join()
        self._producer.flush(AWAIT_SECONDS_MAX)

    def _run(self) -> None:
        number = 0
        while not self._stopping.is_set():
            if len(self._producer) >= IN_FLIGHT_MAX:
                self._producer.poll(0.01)
                continue
            self._producer.produce(self._topic, value_of(number), key=b"%d" % number, on_delivery=self._delivered)
            number += 1
            self._producer.poll(0)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.errors.append(error.str())
            return
        offset, value = message.offset(), message.value()
        assert offset is not None
        assert isinstance(value, bytes)
        self.values[offset] = value


def value_of(number: int) -> bytes:
    """A value whose length and content follow from its number, so that a torn one is known."""
    return b"%d:" % number + b"abcdefghij" * (number % 50)


def is_whole(record: Record) -> bool:
    value = bytes(record.value or b"")
    return bytes(record.key or b"") == value.split(b":")[0] and value_of(int(value.split(b":")[0])) == value


def read_everything(address: str, topic: str) -> list[Record]:
    """All records of partition 0, read batch by batch with their CRCs checked."""
    records: list[Record] = []
    with RawKafka(address) as raw:
        end = list_offsets(raw, topic, LATEST).offset
        offset = 0
        while offset < end:
            data = fetch(raw, topic, offset)
            assert data.error_code == 0
            headers = headers_in(data.records)
            assert headers, f"nothing at offset {offset} of {end}"
            records += [record for record in records_in(data.records) if record.offset >= offset]
            offset = headers[-1].next_offset
    return records


def assert_nothing_lost(address: str, topic: str, producer: AcknowledgedProducer) -> None:
    """Every acknowledged record is where the broker said; offsets have no holes; no record is torn."""
    records = read_everything(address, topic)
    assert [record.offset for record in records] == list(range(len(records)))
    assert [record.offset for record in records if not is_whole(record)] == []
    stored = {record.offset: bytes(record.value or b"") for record in records}
    missing = {offset for offset, value in producer.values.items() if stored.get(offset) != value}
    assert not missing, f"{len(missing)} of {producer.count} acknowledged records are not there: {sorted(missing)[:5]}"
