"""Transactions (KIP-98, KIP-890): what producers, coordinators and administrators ask."""

from ottla.protocol import schema as s


# AddPartitionsToTxn (key 24): adds partitions to a transaction; from version 4 on in batches, between brokers
# (KIP-890).
class AddPartitionsToTxnTopic(s.Struct):
    name = s.string()
    partitions = s.array(s.int32)
class AddPartitionsToTxnTransaction(s.Struct):
    transactional_id = s.string("4+")
    producer_id = s.int64("4+")
    producer_epoch = s.int16("4+")
    verify_only = s.boolean("4+")
    topics = s.array(AddPartitionsToTxnTopic, "4+")
class AddPartitionsToTxnRequest(s.Request, key=24, versions="0-5", flexible="3+"):
    transactions = s.array(AddPartitionsToTxnTransaction, "4+")
    v3_and_below_transactional_id = s.string("0-3")
    v3_and_below_producer_id = s.int64("0-3")
    v3_and_below_producer_epoch = s.int16("0-3")
    v3_and_below_topics = s.array(AddPartitionsToTxnTopic, "0-3")

class AddPartitionsToTxnPartitionResult(s.Struct):
    partition_index = s.int32()
    partition_error_code = s.int16()
class AddPartitionsToTxnTopicResult(s.Struct):
    name = s.string()
    results_by_partition = s.array(AddPartitionsToTxnPartitionResult)
class AddPartitionsToTxnResult(s.Struct):
    transactional_id = s.string("4+")
    topic_results = s.array(AddPartitionsToTxnTopicResult, "4+")
class AddPartitionsToTxnResponse(s.Response, key=24, versions="0-5", flexible="3+"):
    throttle_time_ms = s.int32()
    error_code = s.int16("4+")
    results_by_transaction = s.array(AddPartitionsToTxnResult, "4+")
    results_by_topic_v3_and_below = s.array(AddPartitionsToTxnTopicResult, "0-3")

# AddOffsetsToTxn (key 25): adds a group's offsets partition to a transaction.
class AddOffsetsToTxnRequest(s.Request, key=25, versions="0-4", flexible="3+"):
    transactional_id = s.string()
    producer_id = s.int64()
    producer_epoch = s.int16()
    group_id = s.string()

class AddOffsetsToTxnResponse(s.Response, key=25, versions="0-4", flexible="3+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()

# EndTxn (key 26): commits or aborts a transaction.
class EndTxnRequest(s.Request, key=26, versions="0-5", flexible="3+"):
    transactional_id = s.string()
    producer_id = s.int64()
    producer_epoch = s.int16()
    committed = s.boolean()

class EndTxnResponse(s.Response, key=26, versions="0-5", flexible="3+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    producer_id = s.int64("5+", default=-1)
    producer_epoch = s.int16("5+", default=-1)

# TxnOffsetCommit (key 28): stores a group's offsets as part of a transaction.
class TxnOffsetCommitRequestPartition(s.Struct):
    partition_index = s.int32()
    committed_offset = s.int64()
    committed_leader_epoch = s.int32("2+", default=-1)
    committed_metadata = s.nullable_string()
class TxnOffsetCommitRequestTopic(s.Struct):
    name = s.string()
    partitions = s.array(TxnOffsetCommitRequestPartition)
class TxnOffsetCommitRequest(s.Request, key=28, versions="0-5", flexible="3+"):
    transactional_id = s.string()
    group_id = s.string()
    producer_id = s.int64()
    producer_epoch = s.int16()
    generation_id = s.int32("3+", default=-1)
    member_id = s.string("3+")
    group_instance_id = s.nullable_string("3+", default=None)
    topics = s.array(TxnOffsetCommitRequestTopic)

class TxnOffsetCommitResponsePartition(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
class TxnOffsetCommitResponseTopic(s.Struct):
    name = s.string()
    partitions = s.array(TxnOffsetCommitResponsePartition)
class TxnOffsetCommitResponse(s.Response, key=28, versions="0-5", flexible="3+"):
    throttle_time_ms = s.int32()
    topics = s.array(TxnOffsetCommitResponseTopic)

# WriteTxnMarkers (key 27): the transaction coordinator has partition leaders write the end of a transaction.
class WritableTxnMarkerTopic(s.Struct):
    name = s.string()
    partition_indexes = s.array(s.int32)
class WritableTxnMarker(s.Struct):
    producer_id = s.int64()
    producer_epoch = s.int16()
    transaction_result = s.boolean()
    topics = s.array(WritableTxnMarkerTopic)
    coordinator_epoch = s.int32()
    transaction_version = s.int8("2+")
class WriteTxnMarkersRequest(s.Request, key=27, versions="0-2", flexible="1+"):
    markers = s.array(WritableTxnMarker)

class WritableTxnMarkerPartitionResult(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
class WritableTxnMarkerTopicResult(s.Struct):
    name = s.string()
    partitions = s.array(WritableTxnMarkerPartitionResult)
class WritableTxnMarkerResult(s.Struct):
    producer_id = s.int64()
    topics = s.array(WritableTxnMarkerTopicResult)
class WriteTxnMarkersResponse(s.Response, key=27, versions="0-2", flexible="1+"):
    markers = s.array(WritableTxnMarkerResult)

# DescribeTransactions (key 65): the state of transactions (KIP-664).
class DescribeTransactionsRequest(s.Request, key=65, versions="0", flexible="0+"):
    transactional_ids = s.array(s.string)

class TopicData(s.Struct):
    topic = s.string()
    partitions = s.array(s.int32)
class TransactionState(s.Struct):
    error_code = s.int16()
    transactional_id = s.string()
    transaction_state = s.string()
    transaction_timeout_ms = s.int32()
    transaction_start_time_ms = s.int64()
    producer_id = s.int64()
    producer_epoch = s.int16()
    topics = s.array(TopicData)
class DescribeTransactionsResponse(s.Response, key=65, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    transaction_states = s.array(TransactionState)

# ListTransactions (key 66): the transactions that a broker coordinates (KIP-664).
class ListTransactionsRequest(s.Request, key=66, versions="0-2", flexible="0+"):
    state_filters = s.array(s.string)
    producer_id_filters = s.array(s.int64)
    duration_filter = s.int64("1+", default=-1)
    transactional_id_pattern = s.nullable_string("2+", default=None)

class ListTransactionsTransactionState(s.Struct):
    transactional_id = s.string()
    producer_id = s.int64()
    transaction_state = s.string()
class ListTransactionsResponse(s.Response, key=66, versions="0-2", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    unknown_state_filters = s.array(s.string)
    transaction_states = s.array(ListTransactionsTransactionState)
