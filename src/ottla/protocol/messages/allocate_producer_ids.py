"""AllocateProducerIds (key 67): a broker asks the controller for a block of producer ids (KIP-730)."""

from ottla.protocol.schema import Request, Response, int16, int32, int64


class AllocateProducerIdsRequest(Request, key=67, versions="0", flexible="0+"):
    broker_id = int32()
    broker_epoch = int64(default=-1)


class AllocateProducerIdsResponse(Response, key=67, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    producer_id_start = int64()
    producer_id_len = int32()
