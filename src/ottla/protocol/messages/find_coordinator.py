"""FindCoordinator (key 10): asks which broker coordinates a group or a transactional id; several at once from version
4 on.
"""

from ottla.protocol.schema import Request, Response, Struct, array, int8, int16, int32, nullable_string, string


class FindCoordinatorRequest(Request, key=10, versions="0-6", flexible="3+"):
    key = string("0-3")
    key_type = int8("1+")
    coordinator_keys = array(string, "4+")


class Coordinator(Struct):
    key = string("4+")
    node_id = int32("4+")
    host = string("4+")
    port = int32("4+")
    error_code = int16("4+")
    error_message = nullable_string("4+")


class FindCoordinatorResponse(Response, key=10, versions="0-6", flexible="3+"):
    throttle_time_ms = int32("1+")
    error_code = int16("0-3")
    error_message = nullable_string("1-3")
    node_id = int32("0-3")
    host = string("0-3")
    port = int32("0-3")
    coordinators = array(Coordinator, "4+")
