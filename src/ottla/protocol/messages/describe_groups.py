"""DescribeGroups (key 15): the state and the members of classic groups."""

from ottla.protocol import schema as s


class DescribeGroupsRequest(s.Request, key=15, versions="0-6", flexible="5+"):
    groups = s.array(s.string)
    include_authorized_operations = s.boolean("3+")

class DescribedGroupMember(s.Struct):
    member_id = s.string()
    group_instance_id = s.nullable_string("4+", default=None)
    client_id = s.string()
    client_host = s.string()
    member_metadata = s.bytes_()
    member_assignment = s.bytes_()
class DescribedGroup(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string("6+", default=None)
    group_id = s.string()
    group_state = s.string()
    protocol_type = s.string()
    protocol_data = s.string()
    members = s.array(DescribedGroupMember)
    authorized_operations = s.int32("3+", default=-0x80000000)
class DescribeGroupsResponse(s.Response, key=15, versions="0-6", flexible="5+"):
    throttle_time_ms = s.int32("1+")
    groups = s.array(DescribedGroup)
