"""Sending a stream of records: all of them, and an error that says how many did not arrive."""

import itertools
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

from ottla.cli.record_input import InputRecord
from ottla.errors import OttlaError

if TYPE_CHECKING:
    from ottla import Producer


class NotDeliveredError(OttlaError):
    """Some records did not arrive."""


class Deliveries:
    """Counts how the sending went; the callbacks run on the client's thread."""

    def __init__(self) -> None:
        self.failed = 0
        self.first_error: OttlaError | None = None

    def note(self, metadata: object, error: OttlaError | None) -> None:
        if error is not None:
            self.failed += 1
            self.first_error = self.first_error or error

    def check(self) -> None:
        if self.first_error is not None:
            raise NotDeliveredError(f"{self.failed} records were not delivered: {self.first_error}")


def send_all(
    producer: "Producer",
    topic: str,
    partition: int | None,
    records: Iterable[InputRecord],
    tee: IO[bytes] | None = None,
) -> int:
    """Returns how many were sent, once all of them are acknowledged."""
    deliveries, count = Deliveries(), itertools.count()
    for record in records:
        producer.send(
            topic,
            record.value,
            record.key,
            partition=partition,
            timestamp_ms=record.timestamp_ms,
            headers=record.headers,
            on_delivery=deliveries.note,
        )
        next(count)
        if tee is not None:
            tee.write((record.value or b"") + b"\n")
        if deliveries.first_error is not None:
            break
    producer.flush()
    deliveries.check()
    return next(count)
