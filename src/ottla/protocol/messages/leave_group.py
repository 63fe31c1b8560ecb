"""LeaveGroup (key 13): members leave a classic group; several at once from version 3 on."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, nullable_string, string


class MemberIdentity(Struct):
    member_id = string("3+")
    group_instance_id = nullable_string("3+", default=None)
    reason = nullable_string("5+", default=None)


class LeaveGroupRequest(Request, key=13, versions="0-5", flexible="4+"):
    group_id = string()
    member_id = string("0-2")
    members = array(MemberIdentity, "3+")


class MemberResponse(Struct):
    member_id = string("3+")
    group_instance_id = nullable_string("3+")
    error_code = int16("3+")


class LeaveGroupResponse(Response, key=13, versions="0-5", flexible="4+"):
    throttle_time_ms = int32("1+")
    error_code = int16()
    members = array(MemberResponse, "3+")
