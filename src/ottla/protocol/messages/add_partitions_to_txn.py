"""AddPartitionsToTxn (key 24): adds partitions to a transaction; from version 4 on in batches, between brokers
(KIP-890).
"""

from ottla.protocol.schema import Request, Response, Struct, array, boolean, int16, int32, int64, string


class AddPartitionsToTxnTopic(Struct):
    name = string()
    partitions = array(int32)


class AddPartitionsToTxnTransaction(Struct):
    transactional_id = string("4+")
    producer_id = int64("4+")
    producer_epoch = int16("4+")
    verify_only = boolean("4+")
    topics = array(AddPartitionsToTxnTopic, "4+")


class AddPartitionsToTxnRequest(Request, key=24, versions="0-5", flexible="3+"):
    transactions = array(AddPartitionsToTxnTransaction, "4+")
    v3_and_below_transactional_id = string("0-3")
    v3_and_below_producer_id = int64("0-3")
    v3_and_below_producer_epoch = int16("0-3")
    v3_and_below_topics = array(AddPartitionsToTxnTopic, "0-3")


class AddPartitionsToTxnPartitionResult(Struct):
    partition_index = int32()
    partition_error_code = int16()


class AddPartitionsToTxnTopicResult(Struct):
    name = string()
    results_by_partition = array(AddPartitionsToTxnPartitionResult)


class AddPartitionsToTxnResult(Struct):
    transactional_id = string("4+")
    topic_results = array(AddPartitionsToTxnTopicResult, "4+")


class AddPartitionsToTxnResponse(Response, key=24, versions="0-5", flexible="3+"):
    throttle_time_ms = int32()
    error_code = int16("4+")
    results_by_transaction = array(AddPartitionsToTxnResult, "4+")
    results_by_topic_v3_and_below = array(AddPartitionsToTxnTopicResult, "0-3")
