"""InitProducerId (key 22): gives a producer its id and epoch."""

from ottla.protocol import schema as s


class InitProducerIdRequest(s.Request, key=22, versions="0-6", flexible="2+"):
    transactional_id = s.nullable_string()
    transaction_timeout_ms = s.int32()
    producer_id = s.int64("3+", default=-1)
    producer_epoch = s.int16("3+", default=-1)
    enable_2pc = s.boolean("6+")
    keep_prepared_txn = s.boolean("6+")

class InitProducerIdResponse(s.Response, key=22, versions="0-6", flexible="2+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    producer_id = s.int64(default=-1)
    producer_epoch = s.int16()
    ongoing_txn_producer_id = s.int64("6+", default=-1)
    ongoing_txn_producer_epoch = s.int16("6+", default=-1)
