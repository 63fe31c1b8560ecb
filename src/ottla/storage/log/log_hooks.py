"""What a partition's log asks of whoever runs it (`LogHooks`), and what others are told of logs (`LogObserver`)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ottla.observability.conversion_metrics import Conversion
from ottla.storage.segment.segment import Segment

if TYPE_CHECKING:
    from ottla.storage.log.partition_log import PartitionLog


class LogHooks(Protocol):
    """What the log asks of whoever runs it; called on the loop, must not block."""

    def segment_closed(self, log: "PartitionLog", segment: Segment) -> None:
        """`segment` will not be appended to any more: make it durable, then `log.mark_flushed`."""
        ...

    def segments_deleted(self, log: "PartitionLog", segments: Sequence[Segment]) -> None:
        """Their files are renamed already: call `delete_files` on each after `file.delete.delay.ms`."""
        ...

    def log_truncated(self, log: "PartitionLog", offset: int) -> None:
        """The log is about to be cut at `offset`: what is being synced or cleaned of it may soon be other records."""
        ...

    def records_converted(self, log: "PartitionLog", conversion: Conversion) -> None:
        """What a producer sent had to be rewritten. Called in whichever thread did that."""
        ...


class NoHooks:
    """For tools and tests: closed segments are not synced, deleted ones go at once."""

    def segment_closed(self, log: "PartitionLog", segment: Segment) -> None:
        pass

    def segments_deleted(self, log: "PartitionLog", segments: Sequence[Segment]) -> None:
        for segment in segments:
            segment.delete_files()

    def log_truncated(self, log: "PartitionLog", offset: int) -> None:
        pass

    def records_converted(self, log: "PartitionLog", conversion: Conversion) -> None:
        pass


class LogObserver:
    """Told of the logs of a broker, on the event loop. Who observes overrides what it wants to know."""

    def log_added(self, log: "PartitionLog") -> None:
        """It was loaded or made."""

    def log_configured(self, log: "PartitionLog") -> None:
        """It may have another configuration now."""

    def log_truncated(self, log: "PartitionLog", offset: int) -> None:
        """It is about to be cut at `offset`."""

    def log_removed(self, log: "PartitionLog") -> None:
        """It was deleted, set aside, or its directory has failed: a later log of its name has nothing to do with it."""


class LogObservers(LogObserver):
    """All of them, told in the order in which they came."""

    def __init__(self) -> None:
        self._observers: list[LogObserver] = []

    def add(self, observer: LogObserver) -> None:
        self._observers.append(observer)

    def log_added(self, log: "PartitionLog") -> None:
        for observer in self._observers:
            observer.log_added(log)

    def log_configured(self, log: "PartitionLog") -> None:
        for observer in self._observers:
            observer.log_configured(log)

    def log_truncated(self, log: "PartitionLog", offset: int) -> None:
        for observer in self._observers:
            observer.log_truncated(log, offset)

    def log_removed(self, log: "PartitionLog") -> None:
        for observer in self._observers:
            observer.log_removed(log)
