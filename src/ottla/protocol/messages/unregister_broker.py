"""UnregisterBroker (key 64): removes the registration of a broker from a KRaft cluster."""

from ottla.protocol.schema import Request, Response, int16, int32, nullable_string


class UnregisterBrokerRequest(Request, key=64, versions="0", flexible="0+"):
    broker_id = int32()


class UnregisterBrokerResponse(Response, key=64, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string()
