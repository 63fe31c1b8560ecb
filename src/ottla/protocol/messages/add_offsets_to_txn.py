"""AddOffsetsToTxn (key 25): adds a group's offsets partition to a transaction."""

from ottla.protocol.schema import Request, Response, int16, int32, int64, string


class AddOffsetsToTxnRequest(Request, key=25, versions="0-4", flexible="3+"):
    transactional_id = string()
    producer_id = int64()
    producer_epoch = int16()
    group_id = string()


class AddOffsetsToTxnResponse(Response, key=25, versions="0-4", flexible="3+"):
    throttle_time_ms = int32()
    error_code = int16()
