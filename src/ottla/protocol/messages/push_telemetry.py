"""PushTelemetry (key 72): a client pushes its metrics (KIP-714)."""

from ottla.protocol.schema import Request, Response, boolean, bytes_, int8, int16, int32, uuid_


class PushTelemetryRequest(Request, key=72, versions="0", flexible="0+"):
    client_instance_id = uuid_()
    subscription_id = int32()
    terminating = boolean()
    compression_type = int8()
    metrics = bytes_()


class PushTelemetryResponse(Response, key=72, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
