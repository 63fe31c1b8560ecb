"""ShareGroupDescribe (key 77): the state and the members of share groups (KIP-932)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int16,
    int32,
    nullable_string,
    string,
    struct_,
    uuid_,
)


class ShareGroupDescribeRequest(Request, key=77, versions="0-1", flexible="0+"):
    group_ids = array(string)
    include_authorized_operations = boolean()


class TopicPartitions(Struct):
    topic_id = uuid_()
    topic_name = string()
    partitions = array(int32)


class Assignment(Struct):
    topic_partitions = array(TopicPartitions)


class Member(Struct):
    member_id = string()
    rack_id = nullable_string(default=None)
    member_epoch = int32()
    client_id = string()
    client_host = string()
    subscribed_topic_names = array(string)
    assignment = struct_(Assignment)


class DescribedGroup(Struct):
    error_code = int16()
    error_message = nullable_string(default=None)
    group_id = string()
    group_state = string()
    group_epoch = int32()
    assignment_epoch = int32()
    assignor_name = string()
    members = array(Member)
    authorized_operations = int32(default=-0x80000000)


class ShareGroupDescribeResponse(Response, key=77, versions="0-1", flexible="0+"):
    throttle_time_ms = int32()
    groups = array(DescribedGroup)
