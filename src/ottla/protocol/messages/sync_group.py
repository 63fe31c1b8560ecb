"""SyncGroup (key 14): the group's leader hands in the assignment and every member gets its part."""

from ottla.protocol import schema as s


class SyncGroupRequestAssignment(s.Struct):
    member_id = s.string()
    assignment = s.bytes_()
class SyncGroupRequest(s.Request, key=14, versions="0-5", flexible="4+"):
    group_id = s.string()
    generation_id = s.int32()
    member_id = s.string()
    group_instance_id = s.nullable_string("3+", default=None)
    protocol_type = s.nullable_string("5+", default=None)
    protocol_name = s.nullable_string("5+", default=None)
    assignments = s.array(SyncGroupRequestAssignment)

class SyncGroupResponse(s.Response, key=14, versions="0-5", flexible="4+"):
    throttle_time_ms = s.int32("1+")
    error_code = s.int16()
    protocol_type = s.nullable_string("5+", default=None)
    protocol_name = s.nullable_string("5+", default=None)
    assignment = s.bytes_()
