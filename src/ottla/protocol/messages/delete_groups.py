"""DeleteGroups (key 42): deletes groups that have no members."""

from ottla.protocol import schema as s


class DeleteGroupsRequest(s.Request, key=42, versions="0-2", flexible="2+"):
    groups_names = s.array(s.string)

class DeletableGroupResult(s.Struct):
    group_id = s.string()
    error_code = s.int16()
class DeleteGroupsResponse(s.Response, key=42, versions="0-2", flexible="2+"):
    throttle_time_ms = s.int32()
    results = s.array(DeletableGroupResult)
