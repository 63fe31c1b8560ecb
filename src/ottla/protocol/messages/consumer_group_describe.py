"""ConsumerGroupDescribe (key 69): the state and the members of KIP-848 groups."""

from ottla.protocol import schema as s


class ConsumerGroupDescribeRequest(s.Request, key=69, versions="0-1", flexible="0+"):
    group_ids = s.array(s.string)
    include_authorized_operations = s.boolean()

class TopicPartitions(s.Struct):
    topic_id = s.uuid_()
    topic_name = s.string()
    partitions = s.array(s.int32)
class Assignment(s.Struct):
    topic_partitions = s.array(TopicPartitions)
class Member(s.Struct):
    member_id = s.string()
    instance_id = s.nullable_string(default=None)
    rack_id = s.nullable_string(default=None)
    member_epoch = s.int32()
    client_id = s.string()
    client_host = s.string()
    subscribed_topic_names = s.array(s.string)
    subscribed_topic_regex = s.nullable_string(default=None)
    assignment = s.struct_(Assignment)
    target_assignment = s.struct_(Assignment)
    member_type = s.int8("1+", default=-1)
class DescribedGroup(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    group_id = s.string()
    group_state = s.string()
    group_epoch = s.int32()
    assignment_epoch = s.int32()
    assignor_name = s.string()
    members = s.array(Member)
    authorized_operations = s.int32(default=-0x80000000)
class ConsumerGroupDescribeResponse(s.Response, key=69, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    groups = s.array(DescribedGroup)
