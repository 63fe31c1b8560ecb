"""ConsumerGroupDescribe (key 69): the state and the members of KIP-848 groups."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int8,
    int16,
    int32,
    nullable_string,
    string,
    struct_,
    uuid_,
)


class ConsumerGroupDescribeRequest(Request, key=69, versions="0-1", flexible="0+"):
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
    instance_id = nullable_string(default=None)
    rack_id = nullable_string(default=None)
    member_epoch = int32()
    client_id = string()
    client_host = string()
    subscribed_topic_names = array(string)
    subscribed_topic_regex = nullable_string(default=None)
    assignment = struct_(Assignment)
    target_assignment = struct_(Assignment)
    member_type = int8("1+", default=-1)


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


class ConsumerGroupDescribeResponse(Response, key=69, versions="0-1", flexible="0+"):
    throttle_time_ms = int32()
    groups = array(DescribedGroup)
