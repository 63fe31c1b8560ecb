"""JoinGroup (key 11): a member joins a classic group and waits until all have joined."""

from ottla.protocol import schema as s


class JoinGroupRequestProtocol(s.Struct):
    name = s.string()
    metadata = s.bytes_()
class JoinGroupRequest(s.Request, key=11, versions="0-9", flexible="6+"):
    group_id = s.string()
    session_timeout_ms = s.int32()
    rebalance_timeout_ms = s.int32("1+", default=-1)
    member_id = s.string()
    group_instance_id = s.nullable_string("5+", default=None)
    protocol_type = s.string()
    protocols = s.array(JoinGroupRequestProtocol)
    reason = s.nullable_string("8+", default=None)

class JoinGroupResponseMember(s.Struct):
    member_id = s.string()
    group_instance_id = s.nullable_string("5+", default=None)
    metadata = s.bytes_()
class JoinGroupResponse(s.Response, key=11, versions="0-9", flexible="6+"):
    throttle_time_ms = s.int32("2+")
    error_code = s.int16()
    generation_id = s.int32(default=-1)
    protocol_type = s.nullable_string("7+", default=None)
    protocol_name = s.nullable_string(nullable="7+")
    leader = s.string()
    skip_assignment = s.boolean("9+")
    member_id = s.string()
    members = s.array(JoinGroupResponseMember)
