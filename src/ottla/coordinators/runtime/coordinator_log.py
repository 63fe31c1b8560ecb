"""What the runtime needs of the log: the partitions of one internal topic that this broker leads."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from ottla.coordinators.runtime.step import KeyValue, Transaction
from ottla.errors import ErrorCode
from ottla.records.attributes import Codec
from ottla.records.batch import Buffer
from ottla.records.record import Record, encode_batch

Stored = Callable[[ErrorCode], None]
"""Told once: NONE when every in-sync replica has the batch; otherwise why that is not certain.

Codes are the log's own: NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT and so on.
"""


Appended = tuple[int, Any]
"""The base offset of a batch that stands in the local log, and what the log itself needs to follow it."""


class CoordinatorLog(Protocol):
    @property
    def topic(self) -> str: ...

    def append(self, partition: int, batch: bytearray) -> Appended:
        """Append one batch; offset and epoch are stamped into it. KafkaError: nothing was written."""
        ...

    def when_replicated(self, appended: Appended, timeout_ms: int, stored: Stored) -> None:
        """`stored` may be called before this returns. A batch may be asked for more than once."""
        ...

    def start_offset(self, partition: int) -> int: ...

    def read(self, partition: int, offset: int, max_bytes: int) -> Awaitable[Buffer]:
        """Whole batches from `offset` on, up to about `max_bytes`, at least one; nothing at the end of the log.

        The first batch may begin below `offset`. KafkaError when the partition is not led here any more.
        """
        ...


def encode_records(
    records: Sequence[KeyValue], wall_ms: int, compression: Codec, transaction: Transaction | None = None
) -> bytearray:
    rows = [Record(offset, wall_ms, key, value) for offset, (key, value) in enumerate(records)]
    if transaction is None:
        return bytearray(encode_batch(rows, compression=compression))
    producer_id, producer_epoch = transaction
    return bytearray(
        encode_batch(
            rows,
            compression=compression,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            is_transactional=True,
        )
    )
