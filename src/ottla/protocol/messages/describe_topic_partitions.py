"""DescribeTopicPartitions (key 75): topics and partitions, page by page (KIP-966)."""

from ottla.protocol import schema as s


class TopicRequest(s.Struct):
    name = s.string()
class Cursor(s.Struct):
    topic_name = s.string()
    partition_index = s.int32()
class DescribeTopicPartitionsRequest(s.Request, key=75, versions="0", flexible="0+"):
    topics = s.array(TopicRequest)
    response_partition_limit = s.int32(default=2000)
    cursor = s.nullable_struct(Cursor)

class DescribeTopicPartitionsResponsePartition(s.Struct):
    error_code = s.int16()
    partition_index = s.int32()
    leader_id = s.int32()
    leader_epoch = s.int32(default=-1)
    replica_nodes = s.array(s.int32)
    isr_nodes = s.array(s.int32)
    eligible_leader_replicas = s.nullable_array(s.int32, default=None)
    last_known_elr = s.nullable_array(s.int32, default=None)
    offline_replicas = s.array(s.int32)
class DescribeTopicPartitionsResponseTopic(s.Struct):
    error_code = s.int16()
    name = s.nullable_string()
    topic_id = s.uuid_()
    is_internal = s.boolean()
    partitions = s.array(DescribeTopicPartitionsResponsePartition)
    topic_authorized_operations = s.int32(default=-0x80000000)
class DescribeTopicPartitionsResponse(s.Response, key=75, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    topics = s.array(DescribeTopicPartitionsResponseTopic)
    next_cursor = s.nullable_struct(Cursor)
