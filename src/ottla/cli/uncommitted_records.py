"""Puts a consumer back to the records that it polled and did not write, so that its group goes on with them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ottla import Consumer
    from ottla.clients.consumer.record import ConsumerRecord


def give_back(consumer: "Consumer", records: "Sequence[ConsumerRecord]") -> None:
    """Put the positions back to the first of these records in each partition, before they are committed."""
    for record in reversed(records):
        if record.topic_partition in consumer.assignment():
            consumer.seek(record.topic_partition, record.offset)
