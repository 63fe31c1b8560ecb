"""FindCoordinator (key 10): asks which broker coordinates a group or a transactional id; several at once from version
4 on.
"""

from ottla.protocol import schema as s


class FindCoordinatorRequest(s.Request, key=10, versions="0-6", flexible="3+"):
    key = s.string("0-3")
    key_type = s.int8("1+")
    coordinator_keys = s.array(s.string, "4+")

class Coordinator(s.Struct):
    key = s.string("4+")
    node_id = s.int32("4+")
    host = s.string("4+")
    port = s.int32("4+")
    error_code = s.int16("4+")
    error_message = s.nullable_string("4+")
class FindCoordinatorResponse(s.Response, key=10, versions="0-6", flexible="3+"):
    throttle_time_ms = s.int32("1+")
    error_code = s.int16("0-3")
    error_message = s.nullable_string("1-3")
    node_id = s.int32("0-3")
    host = s.string("0-3")
    port = s.int32("0-3")
    coordinators = s.array(Coordinator, "4+")
