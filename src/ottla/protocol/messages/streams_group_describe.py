"""StreamsGroupDescribe (key 89): the state and the members of streams groups (KIP-1071)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int16,
    int32,
    int64,
    nullable_array,
    nullable_string,
    nullable_struct,
    string,
    struct_,
    uint16,
)


class StreamsGroupDescribeRequest(Request, key=89, versions="0", flexible="0+"):
    group_ids = array(string)
    include_authorized_operations = boolean()


class KeyValue(Struct):
    key = string()
    value = string()


class TopicInfo(Struct):
    name = string()
    partitions = int32()
    replication_factor = int16()
    topic_configs = array(KeyValue)


class Subtopology(Struct):
    subtopology_id = string()
    source_topics = array(string)
    repartition_sink_topics = array(string)
    state_changelog_topics = array(TopicInfo)
    repartition_source_topics = array(TopicInfo)


class Topology(Struct):
    epoch = int32()
    subtopologies = nullable_array(Subtopology, default=None)


class Endpoint(Struct):
    host = string()
    port = uint16()


class TaskOffset(Struct):
    subtopology_id = string()
    partition = int32()
    offset = int64()


class TaskIds(Struct):
    subtopology_id = string()
    partitions = array(int32)


class Assignment(Struct):
    active_tasks = array(TaskIds)
    standby_tasks = array(TaskIds)
    warmup_tasks = array(TaskIds)


class Member(Struct):
    member_id = string()
    member_epoch = int32()
    instance_id = nullable_string(default=None)
    rack_id = nullable_string(default=None)
    client_id = string()
    client_host = string()
    topology_epoch = int32()
    process_id = string()
    user_endpoint = nullable_struct(Endpoint)
    client_tags = array(KeyValue)
    task_offsets = array(TaskOffset)
    task_end_offsets = array(TaskOffset)
    assignment = struct_(Assignment)
    target_assignment = struct_(Assignment)
    is_classic = boolean()


class DescribedGroup(Struct):
    error_code = int16()
    error_message = nullable_string(default=None)
    group_id = string()
    group_state = string()
    group_epoch = int32()
    assignment_epoch = int32()
    topology = nullable_struct(Topology)
    members = array(Member)
    authorized_operations = int32(default=-0x80000000)


class StreamsGroupDescribeResponse(Response, key=89, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    groups = array(DescribedGroup)
