"""The driver's questions about the partitions of a query, each tried as often as `fetchOffset.numRetries` says."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from ottla.errors import KafkaError
from ottla.model import TopicPartition
from ottla.spark.offsets import ClusterOffsets, PartitionOffsets
from ottla.spark.source.offset_limits import (
    Bound,
    GlobalTime,
    OffsetLimit,
    OnNoMatch,
    SpecificOffsets,
    SpecificTimes,
    names,
)
from ottla.spark.source.source_options import SourceOptions

logger = logging.getLogger(__name__)
T = TypeVar("T")


class OffsetReader:
    """Keeps its connections between calls; `close` ends them."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._cluster = ClusterOffsets(options.client)

    def earliest(self) -> PartitionOffsets:
        return self._retried(lambda: self._cluster.earliest(self._partitions()))

    def earliest_of(self, partitions: Iterable[TopicPartition]) -> PartitionOffsets:
        """Of those that (still) exist."""
        wanted = set(partitions)
        return self._retried(lambda: self._cluster.earliest(wanted & self._partitions())) if wanted else {}

    def latest(self, known: Mapping[TopicPartition, int] | None = None) -> PartitionOffsets:
        """Where the partitions end. Before an end that lies behind what is known is believed, it is asked for again:
        a new leader may need a moment to learn how far its log is committed."""
        for _ in range(self._options.fetch_offset_attempts - 1):
            offsets = self._retried(lambda: self._cluster.latest(self._partitions()))
            if not _went_back(offsets, known or {}):
                return offsets
            time.sleep(self._options.fetch_offset_retry_interval_ms / 1000)
        return self._retried(lambda: self._cluster.latest(self._partitions()))

    def resolve(self, limit: OffsetLimit, *, is_start: bool) -> PartitionOffsets:
        """The offsets that a limit stands for now."""
        return self._retried(lambda: self._resolve(limit, is_start))

    def first_since(self, times_ms: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        return self._retried(lambda: self._cluster.at_times(times_ms))

    def commit(self, group_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        self._cluster.commit(group_id, offsets)

    def close(self) -> None:
        self._cluster.close()

    def _partitions(self) -> set[TopicPartition]:
        return self._options.subscription.partitions(self._cluster)

    def _retried(self, question: Callable[[], T]) -> T:
        attempts = max(1, self._options.fetch_offset_attempts)
        for attempt in range(1, attempts):
            try:
                return question()
            except KafkaError as error:
                logger.warning("Error in attempt %d getting Kafka offsets: %s", attempt, error)
                self._cluster.close()
                time.sleep(self._options.fetch_offset_retry_interval_ms / 1000)
        return question()

    def _resolve(self, limit: OffsetLimit, is_start: bool) -> PartitionOffsets:
        partitions = self._partitions()
        if isinstance(limit, Bound):
            return self._concrete(dict.fromkeys(partitions, limit.value))
        if isinstance(limit, SpecificOffsets):
            _check_offsets_match(set(limit.offsets), partitions)
            return self._concrete(limit.offsets)
        times = limit.times if isinstance(limit, SpecificTimes) else dict.fromkeys(partitions, limit.time)
        if isinstance(limit, SpecificTimes):
            _check_times_match(set(times), partitions, is_start)
        return self._at_times(times, limit, is_start)

    def _at_times(
        self, times: Mapping[TopicPartition, int], limit: SpecificTimes | GlobalTime, is_start: bool
    ) -> PartitionOffsets:
        offsets: PartitionOffsets = {}
        for partition, offset in self._cluster.at_times(times).items():
            if offset is None and is_start and limit.on_no_match is OnNoMatch.ERROR:
                raise ValueError(
                    f"No offset matched from request of topic-partition {partition} and timestamp {times[partition]}."
                )
            offsets[partition] = Bound.LATEST.value if offset is None else offset
        return self._concrete(offsets)

    def _concrete(self, offsets: Mapping[TopicPartition, int]) -> PartitionOffsets:
        """With -1 and -2 looked up."""
        latest = self._cluster.latest(key for key, offset in offsets.items() if offset == Bound.LATEST.value)
        earliest = self._cluster.earliest(key for key, offset in offsets.items() if offset == Bound.EARLIEST.value)
        return {**offsets, **latest, **earliest}


def _went_back(offsets: Mapping[TopicPartition, int], known: Mapping[TopicPartition, int]) -> bool:
    return any(partition in offsets and offsets[partition] < before for partition, before in known.items())


def _check_offsets_match(specified: set[TopicPartition], assigned: set[TopicPartition]) -> None:
    if specified != assigned:
        raise ValueError(
            "Partitions specified for Kafka start offsets don't match what are assigned. Maybe topic partitions are "
            "created or deleted while the query is running. Use -1 for latest, -2 for earliest. "
            f"Specified: {names(specified)} Assigned: {names(assigned)}"
        )


def _check_times_match(specified: set[TopicPartition], assigned: set[TopicPartition], is_start: bool) -> None:
    if specified != assigned:
        position = "start" if is_start else "end"
        raise ValueError(
            f"Partitions specified for Kafka timestamp based {position} offsets don't match what are assigned. Maybe "
            "topic partitions are created or deleted while the query is running, or you didn't specify all the "
            f"partitions. Specified: {names(specified)} Assigned: {names(assigned)}"
        )
