"""GetTelemetrySubscriptions (key 71): which metrics a client shall push (KIP-714)."""

from ottla.protocol.schema import Request, Response, array, boolean, int8, int16, int32, string, uuid_


class GetTelemetrySubscriptionsRequest(Request, key=71, versions="0", flexible="0+"):
    client_instance_id = uuid_()


class GetTelemetrySubscriptionsResponse(Response, key=71, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    client_instance_id = uuid_()
    subscription_id = int32()
    accepted_compression_types = array(int8)
    push_interval_ms = int32()
    telemetry_max_bytes = int32()
    delta_temporality = boolean()
    requested_metrics = array(string)
