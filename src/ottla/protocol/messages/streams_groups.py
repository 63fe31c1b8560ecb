"""Groups of Kafka Streams (KIP-1071): heartbeat and description."""

from ottla.protocol import schema as s


# StreamsGroupHeartbeat (key 88): members of a streams group join, get tasks and leave (KIP-1071).
class KeyValue(s.Struct):
    key = s.string()
    value = s.string()
class TopicInfo(s.Struct):
    name = s.string()
    partitions = s.int32()
    replication_factor = s.int16()
    topic_configs = s.array(KeyValue)
class CopartitionGroup(s.Struct):
    source_topics = s.array(s.int16)
    source_topic_regex = s.array(s.int16)
    repartition_source_topics = s.array(s.int16)
class Subtopology(s.Struct):
    subtopology_id = s.string()
    source_topics = s.array(s.string)
    source_topic_regex = s.array(s.string)
    state_changelog_topics = s.array(TopicInfo)
    repartition_sink_topics = s.array(s.string)
    repartition_source_topics = s.array(TopicInfo)
    copartition_groups = s.array(CopartitionGroup)
class Topology(s.Struct):
    epoch = s.int32()
    subtopologies = s.array(Subtopology)
class TaskIds(s.Struct):
    subtopology_id = s.string()
    partitions = s.array(s.int32)
class Endpoint(s.Struct):
    host = s.string()
    port = s.uint16()
class TaskOffset(s.Struct):
    subtopology_id = s.string()
    partition = s.int32()
    offset = s.int64()
class StreamsGroupHeartbeatRequest(s.Request, key=88, versions="0", flexible="0+"):
    group_id = s.string()
    member_id = s.string()
    member_epoch = s.int32()
    endpoint_information_epoch = s.int32()
    instance_id = s.nullable_string(default=None)
    rack_id = s.nullable_string(default=None)
    rebalance_timeout_ms = s.int32(default=-1)
    topology = s.nullable_struct(Topology)
    active_tasks = s.nullable_array(TaskIds, default=None)
    standby_tasks = s.nullable_array(TaskIds, default=None)
    warmup_tasks = s.nullable_array(TaskIds, default=None)
    process_id = s.nullable_string(default=None)
    user_endpoint = s.nullable_struct(Endpoint)
    client_tags = s.nullable_array(KeyValue, default=None)
    task_offsets = s.nullable_array(TaskOffset, default=None)
    task_end_offsets = s.nullable_array(TaskOffset, default=None)
    shutdown_application = s.boolean()

class Status(s.Struct):
    status_code = s.int8()
    status_detail = s.string()
class TopicPartition(s.Struct):
    topic = s.string()
    partitions = s.array(s.int32)
class EndpointToPartitions(s.Struct):
    user_endpoint = s.struct_(Endpoint)
    active_partitions = s.array(TopicPartition)
    standby_partitions = s.array(TopicPartition)
class StreamsGroupHeartbeatResponse(s.Response, key=88, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    member_id = s.string()
    member_epoch = s.int32()
    heartbeat_interval_ms = s.int32()
    acceptable_recovery_lag = s.int32()
    task_offset_interval_ms = s.int32()
    status = s.nullable_array(Status, default=None)
    active_tasks = s.nullable_array(TaskIds, default=None)
    standby_tasks = s.nullable_array(TaskIds, default=None)
    warmup_tasks = s.nullable_array(TaskIds, default=None)
    endpoint_information_epoch = s.int32()
    partitions_by_user_endpoint = s.nullable_array(EndpointToPartitions, default=None)

# StreamsGroupDescribe (key 89): the state and the members of streams groups (KIP-1071).
class StreamsGroupDescribeRequest(s.Request, key=89, versions="0", flexible="0+"):
    group_ids = s.array(s.string)
    include_authorized_operations = s.boolean()

class StreamsGroupDescribeSubtopology(s.Struct):
    subtopology_id = s.string()
    source_topics = s.array(s.string)
    repartition_sink_topics = s.array(s.string)
    state_changelog_topics = s.array(TopicInfo)
    repartition_source_topics = s.array(TopicInfo)
class StreamsGroupDescribeTopology(s.Struct):
    epoch = s.int32()
    subtopologies = s.nullable_array(StreamsGroupDescribeSubtopology, default=None)
class Assignment(s.Struct):
    active_tasks = s.array(TaskIds)
    standby_tasks = s.array(TaskIds)
    warmup_tasks = s.array(TaskIds)
class Member(s.Struct):
    member_id = s.string()
    member_epoch = s.int32()
    instance_id = s.nullable_string(default=None)
    rack_id = s.nullable_string(default=None)
    client_id = s.string()
    client_host = s.string()
    topology_epoch = s.int32()
    process_id = s.string()
    user_endpoint = s.nullable_struct(Endpoint)
    client_tags = s.array(KeyValue)
    task_offsets = s.array(TaskOffset)
    task_end_offsets = s.array(TaskOffset)
    assignment = s.struct_(Assignment)
    target_assignment = s.struct_(Assignment)
    is_classic = s.boolean()
class DescribedGroup(s.Struct):
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    group_id = s.string()
    group_state = s.string()
    group_epoch = s.int32()
    assignment_epoch = s.int32()
    topology = s.nullable_struct(StreamsGroupDescribeTopology)
    members = s.array(Member)
    authorized_operations = s.int32(default=-0x80000000)
class StreamsGroupDescribeResponse(s.Response, key=89, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    groups = s.array(DescribedGroup)
