"""LeaveGroup (key 13): members leave a classic group; several at once from version 3 on."""

from ottla.protocol import schema as s


class MemberIdentity(s.Struct):
    member_id = s.string("3+")
    group_instance_id = s.nullable_string("3+", default=None)
    reason = s.nullable_string("5+", default=None)
class LeaveGroupRequest(s.Request, key=13, versions="0-5", flexible="4+"):
    group_id = s.string()
    member_id = s.string("0-2")
    members = s.array(MemberIdentity, "3+")

class MemberResponse(s.Struct):
    member_id = s.string("3+")
    group_instance_id = s.nullable_string("3+")
    error_code = s.int16("3+")
class LeaveGroupResponse(s.Response, key=13, versions="0-5", flexible="4+"):
    throttle_time_ms = s.int32("1+")
    error_code = s.int16()
    members = s.array(MemberResponse, "3+")
