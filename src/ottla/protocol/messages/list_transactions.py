"""ListTransactions (key 66): the transactions that a broker coordinates (KIP-664)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, nullable_string, string


class ListTransactionsRequest(Request, key=66, versions="0-2", flexible="0+"):
    state_filters = array(string)
    producer_id_filters = array(int64)
    duration_filter = int64("1+", default=-1)
    transactional_id_pattern = nullable_string("2+", default=None)


class TransactionState(Struct):
    transactional_id = string()
    producer_id = int64()
    transaction_state = string()


class ListTransactionsResponse(Response, key=66, versions="0-2", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    unknown_state_filters = array(string)
    transaction_states = array(TransactionState)
