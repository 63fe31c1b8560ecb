"""Transactions in `__transaction_state`."""

from ottla.protocol import schema as s


class TransactionLogKey(s.Data, versions="0"):
    transactional_id = s.string("0")

class PartitionsSchema(s.Struct):
    topic = s.string()
    partition_ids = s.array(s.int32)
class TransactionLogValue(s.Data, versions="0-1", flexible="1+"):
    producer_id = s.int64()
    previous_producer_id = s.int64("1+", default=-1, tag=0)
    next_producer_id = s.int64("1+", default=-1, tag=1)
    producer_epoch = s.int16()
    transaction_timeout_ms = s.int32()
    transaction_status = s.int8()
    transaction_partitions = s.nullable_array(PartitionsSchema)
    transaction_last_update_timestamp_ms = s.int64()
    transaction_start_timestamp_ms = s.int64()
    client_transaction_version = s.int16("1+", tag=2)
