"""InitProducerId (key 22): gives a producer its id and epoch."""

from ottla.protocol.schema import Request, Response, boolean, int16, int32, int64, nullable_string


class InitProducerIdRequest(Request, key=22, versions="0-6", flexible="2+"):
    transactional_id = nullable_string()
    transaction_timeout_ms = int32()
    producer_id = int64("3+", default=-1)
    producer_epoch = int16("3+", default=-1)
    enable_2pc = boolean("6+")
    keep_prepared_txn = boolean("6+")


class InitProducerIdResponse(Response, key=22, versions="0-6", flexible="2+"):
    throttle_time_ms = int32()
    error_code = int16()
    producer_id = int64(default=-1)
    producer_epoch = int16()
    ongoing_txn_producer_id = int64("6+", default=-1)
    ongoing_txn_producer_epoch = int16("6+", default=-1)
