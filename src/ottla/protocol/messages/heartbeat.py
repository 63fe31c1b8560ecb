"""Heartbeat (key 12): a member of a classic group says that it is alive."""

from ottla.protocol import schema as s


class HeartbeatRequest(s.Request, key=12, versions="0-4", flexible="4+"):
    group_id = s.string()
    generation_id = s.int32()
    member_id = s.string()
    group_instance_id = s.nullable_string("3+", default=None)

class HeartbeatResponse(s.Response, key=12, versions="0-4", flexible="4+"):
    throttle_time_ms = s.int32("1+")
    error_code = s.int16()
