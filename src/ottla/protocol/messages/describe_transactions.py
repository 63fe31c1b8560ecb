"""DescribeTransactions (key 65): the state of transactions (KIP-664)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, string


class DescribeTransactionsRequest(Request, key=65, versions="0", flexible="0+"):
    transactional_ids = array(string)


class TopicData(Struct):
    topic = string()
    partitions = array(int32)


class TransactionState(Struct):
    error_code = int16()
    transactional_id = string()
    transaction_state = string()
    transaction_timeout_ms = int32()
    transaction_start_time_ms = int64()
    producer_id = int64()
    producer_epoch = int16()
    topics = array(TopicData)


class DescribeTransactionsResponse(Response, key=65, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    transaction_states = array(TransactionState)
