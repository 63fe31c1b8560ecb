"""ListGroups (key 16): the groups that a broker coordinates."""

from ottla.protocol import schema as s


class ListGroupsRequest(s.Request, key=16, versions="0-5", flexible="3+"):
    states_filter = s.array(s.string, "4+")
    types_filter = s.array(s.string, "5+")

class ListedGroup(s.Struct):
    group_id = s.string()
    protocol_type = s.string()
    group_state = s.string("4+")
    group_type = s.string("5+")
class ListGroupsResponse(s.Response, key=16, versions="0-5", flexible="3+"):
    throttle_time_ms = s.int32("1+")
    error_code = s.int16()
    groups = s.array(ListedGroup)
