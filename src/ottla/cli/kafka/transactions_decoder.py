"""Records of `__transaction_state` as text, as `kafka-dump-log --transaction-log-decoder` prints them."""

from ottla.errors import DecodeError
from ottla.protocol.coordinator_records.transaction_log import TransactionLogKey, TransactionLogValue
from ottla.protocol.versioned import decode_versioned
from ottla.records.record import Record

_STATES = (
    "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead", "PrepareEpochFence",
)  # fmt: skip
_EMPTY = 0


def decode_transactions_record(record: Record) -> tuple[str | None, str | None]:
    """Key and value as text."""
    if record.key is None:
        raise DecodeError("a record of __transaction_state must have a key")
    key, _ = decode_versioned(TransactionLogKey, bytes(record.key))
    said = f"transaction_metadata::transactionalId={key.transactional_id}"
    return said, "<DELETE>" if record.value is None else _value(bytes(record.value))


def _value(value: bytes) -> str:
    found, _ = decode_versioned(TransactionLogValue, value)
    taking_part = found.transaction_partitions if found.transaction_status != _EMPTY else None
    partitions = ",".join(f"{part.topic}-{number}" for part in taking_part or () for number in part.partition_ids)
    return (
        f"producerId:{found.producer_id},producerEpoch:{found.producer_epoch},"
        f"state={_STATES[found.transaction_status]},partitions=[{partitions}],"
        f"txnLastUpdateTimestamp={found.transaction_last_update_timestamp_ms},"
        f"txnTimeoutMs={found.transaction_timeout_ms}"
    )
