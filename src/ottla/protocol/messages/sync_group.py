"""SyncGroup (key 14): the group's leader hands in the assignment and every member gets its part."""

from ottla.protocol.schema import Request, Response, Struct, array, bytes_, int16, int32, nullable_string, string


class SyncGroupRequestAssignment(Struct):
    member_id = string()
    assignment = bytes_()


class SyncGroupRequest(Request, key=14, versions="0-5", flexible="4+"):
    group_id = string()
    generation_id = int32()
    member_id = string()
    group_instance_id = nullable_string("3+", default=None)
    protocol_type = nullable_string("5+", default=None)
    protocol_name = nullable_string("5+", default=None)
    assignments = array(SyncGroupRequestAssignment)


class SyncGroupResponse(Response, key=14, versions="0-5", flexible="4+"):
    throttle_time_ms = int32("1+")
    error_code = int16()
    protocol_type = nullable_string("5+", default=None)
    protocol_name = nullable_string("5+", default=None)
    assignment = bytes_()
