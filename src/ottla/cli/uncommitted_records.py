"""What was polled and never written: it is not read, and the group of a consumer that stops goes on there."""

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
