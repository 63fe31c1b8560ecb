"""JoinGroup (key 11): a member joins a classic group and waits until all have joined."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    bytes_,
    int16,
    int32,
    nullable_string,
    string,
)


class JoinGroupRequestProtocol(Struct):
    name = string()
    metadata = bytes_()


class JoinGroupRequest(Request, key=11, versions="0-9", flexible="6+"):
    group_id = string()
    session_timeout_ms = int32()
    rebalance_timeout_ms = int32("1+", default=-1)
    member_id = string()
    group_instance_id = nullable_string("5+", default=None)
    protocol_type = string()
    protocols = array(JoinGroupRequestProtocol)
    reason = nullable_string("8+", default=None)


class JoinGroupResponseMember(Struct):
    member_id = string()
    group_instance_id = nullable_string("5+", default=None)
    metadata = bytes_()


class JoinGroupResponse(Response, key=11, versions="0-9", flexible="6+"):
    throttle_time_ms = int32("2+")
    error_code = int16()
    generation_id = int32(default=-1)
    protocol_type = nullable_string("7+", default=None)
    protocol_name = nullable_string(nullable="7+")
    leader = string()
    skip_assignment = boolean("9+")
    member_id = string()
    members = array(JoinGroupResponseMember)
