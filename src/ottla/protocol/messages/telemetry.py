"""Metrics that clients push (KIP-714)."""

from ottla.protocol import schema as s


# GetTelemetrySubscriptions (key 71): which metrics a client shall push (KIP-714).
class GetTelemetrySubscriptionsRequest(s.Request, key=71, versions="0", flexible="0+"):
    client_instance_id = s.uuid_()

class GetTelemetrySubscriptionsResponse(s.Response, key=71, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    client_instance_id = s.uuid_()
    subscription_id = s.int32()
    accepted_compression_types = s.array(s.int8)
    push_interval_ms = s.int32()
    telemetry_max_bytes = s.int32()
    delta_temporality = s.boolean()
    requested_metrics = s.array(s.string)

# PushTelemetry (key 72): a client pushes its metrics (KIP-714).
class PushTelemetryRequest(s.Request, key=72, versions="0", flexible="0+"):
    client_instance_id = s.uuid_()
    subscription_id = s.int32()
    terminating = s.boolean()
    compression_type = s.int8()
    metrics = s.bytes_()

class PushTelemetryResponse(s.Response, key=72, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
