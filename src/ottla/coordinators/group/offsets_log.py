"""What the group coordinator needs of the log: the partitions of `__consumer_offsets` that this broker leads."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from ottla.errors import ErrorCode
from ottla.records.batch import Buffer

OFFSETS_TOPIC = "__consumer_offsets"

Stored = Callable[[ErrorCode, int], None]
"""Told once: NONE and the offset of the batch when every in-sync replica has it; otherwise why that is not certain."""


class OffsetsLog(Protocol):
    def append(self, partition: int, batch: bytearray, timeout_ms: int, stored: Stored) -> None:
        """Append one batch (offset and epoch are stamped into it). `stored` may be called before this returns.

        Codes are the log's own: NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS, REQUEST_TIMED_OUT and so on.
        """
        ...

    def start_offset(self, partition: int) -> int: ...

    def read(self, partition: int, offset: int, max_bytes: int) -> Awaitable[Buffer]:
        """Whole batches from `offset` on, up to about `max_bytes`, at least one; nothing at the end of the log.

        The first batch may begin below `offset`. KafkaError when the partition is not led here any more.
        """
        ...
