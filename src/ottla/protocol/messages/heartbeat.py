"""Heartbeat (key 12): a member of a classic group says that it is alive."""

from ottla.protocol.schema import Request, Response, int16, int32, nullable_string, string


class HeartbeatRequest(Request, key=12, versions="0-4", flexible="4+"):
    group_id = string()
    generation_id = int32()
    member_id = string()
    group_instance_id = nullable_string("3+", default=None)


class HeartbeatResponse(Response, key=12, versions="0-4", flexible="4+"):
    throttle_time_ms = int32("1+")
    error_code = int16()
