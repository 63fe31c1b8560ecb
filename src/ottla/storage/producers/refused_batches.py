"""Batches of producers that the partition does not know yet, refused before they were written.

A producer that is not known may begin with any sequence: its records may have been deleted long ago. So when the first
of its batches is refused (we do not lead yet, too few replicas are in sync), and the next one, sent behind it without
waiting, comes a moment later when we do lead, that one would be written first. The first could then never be written
under its own sequence. What was refused is therefore remembered: behind it nothing of the same producer is taken until
it comes again. Kafka does not do so (docs/decisions/0019).

In memory only, and bounded: whoever is forgotten is treated as Kafka treats it.
"""

from ottla.errors.kafka import OutOfOrderSequenceNumberError
from ottla.records.batch import BatchHeader

PRODUCERS_MAX = 1000


class RefusedBatches:
    """The lowest sequence that was refused, by producer id and epoch."""

    __slots__ = ("_sequences",)

    def __init__(self) -> None:
        self._sequences: dict[tuple[int, int], int] = {}

    def note(self, header: BatchHeader) -> None:
        key = header.producer_id, header.producer_epoch
        known = self._sequences.pop(key, header.base_sequence)
        if len(self._sequences) >= PRODUCERS_MAX:
            del self._sequences[next(iter(self._sequences))]
        self._sequences[key] = min(known, header.base_sequence)

    def take(self, other: "RefusedBatches") -> None:
        """Those that were refused before there was a log."""
        self._sequences |= other._sequences

    def check(self, header: BatchHeader, label: object) -> None:
        """Raises where the batch comes behind one that was refused."""
        refused = self._sequences.get((header.producer_id, header.producer_epoch))
        if refused is not None and header.base_sequence > refused:
            raise OutOfOrderSequenceNumberError(
                f"Out of order sequence number for producer {header.producer_id} in partition {label}: "
                f"{header.base_sequence} (incoming seq. number) behind {refused}, which was refused"
            )

    def forget(self, producer_id: int, epoch: int) -> None:
        """The producer is known now."""
        if self._sequences:
            self._sequences.pop((producer_id, epoch), None)
