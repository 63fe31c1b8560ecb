"""Share groups (KIP-932): the requests of their members, of those who administrate them, and of their state's keeper.
"""

from ottla.protocol import schema as s


# ShareGroupHeartbeat (key 76): members of a share group join, get partitions and leave (KIP-932).
class ShareGroupHeartbeatRequest(s.Request, key=76, versions="0-1", flexible="0+"):
    group_id = s.string()
    member_id = s.string()
    member_epoch = s.int32()
    rack_id = s.nullable_string(default=None)
    subscribed_topic_names = s.nullable_array(s.string, default=None)

class TopicPartitions(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(s.int32)
class Assignment(s.Struct):
    topic_partitions = s.array(TopicPartitions)
class ShareGroupHeartbeatResponse(s.Response, key=76, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    member_id = s.nullable_string(default=None)
    member_epoch = s.int32()
    heartbeat_interval_ms = s.int32()
    assignment = s.nullable_struct(Assignment)

# ShareGroupDescribe (key 77): the state and the members of share groups (KIP-932).
class ShareGroupDescribeRequest(s.Request, key=77, versions="0-1", flexible="0+"):
    group_ids = s.array(s.string)
    include_authorized_operations = s.boolean()

class ShareGroupDescribeTopicPartitions(s.Struct):
    topic_id = s.uuid_()
    topic_name = s.string()
    partitions = s.array(s.int32)
class ShareGroupDescribeAssignment(s.Struct):
    topic_partitions = s.array(ShareGroupDescribeTopicPartitions)
class Member(s.Struct):
    member_id = s.string()
    rack_id = s.nullable_string(default=None)
    member_epoch = s.int32()
    client_id = s.string()
    client_host = s.string()
    subscribed_topic_names = s.array(s.string)
    assignment = s.struct_(ShareGroupDescribeAssignment)
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
class ShareGroupDescribeResponse(s.Response, key=77, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    groups = s.array(DescribedGroup)

# ShareFetch (key 78): fetches records for a share group and acknowledges earlier ones (KIP-932).
class AcknowledgementBatch(s.Struct):
    first_offset = s.int64()
    last_offset = s.int64()
    acknowledge_types = s.array(s.int8)
class FetchPartition(s.Struct):
    partition_index = s.int32()
    partition_max_bytes = s.int32("0")
    acknowledgement_batches = s.array(AcknowledgementBatch)
class FetchTopic(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(FetchPartition)
class ForgottenTopic(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(s.int32)
class ShareFetchRequest(s.Request, key=78, versions="0-2", flexible="0+"):
    group_id = s.nullable_string(default=None)
    member_id = s.nullable_string()
    share_session_epoch = s.int32()
    max_wait_ms = s.int32()
    min_bytes = s.int32()
    max_bytes = s.int32(default=0x7FFFFFFF)
    max_records = s.int32("1+")
    batch_size = s.int32("1+")
    share_acquire_mode = s.int8("2+")
    is_renew_ack = s.boolean("2+")
    topics = s.array(FetchTopic)
    forgotten_topics_data = s.array(ForgottenTopic)

class LeaderIdAndEpoch(s.Struct):
    leader_id = s.int32()
    leader_epoch = s.int32()
class AcquiredRecords(s.Struct):
    first_offset = s.int64()
    last_offset = s.int64()
    delivery_count = s.int16()
class PartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    acknowledge_error_code = s.int16()
    acknowledge_error_message = s.nullable_string(default=None)
    current_leader = s.struct_(LeaderIdAndEpoch)
    records = s.nullable_records()
    acquired_records = s.array(AcquiredRecords)
class ShareFetchableTopicResponse(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(PartitionData)
class NodeEndpoint(s.Struct):
    node_id = s.int32()
    host = s.string()
    port = s.int32()
    rack = s.nullable_string(default=None)
class ShareFetchResponse(s.Response, key=78, versions="0-2", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    acquisition_lock_timeout_ms = s.int32("1+")
    responses = s.array(ShareFetchableTopicResponse)
    node_endpoints = s.array(NodeEndpoint)

# ShareAcknowledge (key 79): acknowledges records of a share group (KIP-932).
class AcknowledgePartition(s.Struct):
    partition_index = s.int32()
    acknowledgement_batches = s.array(AcknowledgementBatch)
class AcknowledgeTopic(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(AcknowledgePartition)
class ShareAcknowledgeRequest(s.Request, key=79, versions="0-2", flexible="0+"):
    group_id = s.nullable_string(default=None)
    member_id = s.nullable_string()
    share_session_epoch = s.int32()
    is_renew_ack = s.boolean("2+")
    topics = s.array(AcknowledgeTopic)

class ShareAcknowledgePartitionData(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    current_leader = s.struct_(LeaderIdAndEpoch)
class ShareAcknowledgeTopicResponse(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(ShareAcknowledgePartitionData)
class ShareAcknowledgeResponse(s.Response, key=79, versions="0-2", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    acquisition_lock_timeout_ms = s.int32("2+")
    responses = s.array(ShareAcknowledgeTopicResponse)
    node_endpoints = s.array(NodeEndpoint)

# DescribeShareGroupOffsets (key 90): the start offsets of share groups (KIP-932).
class DescribeShareGroupOffsetsRequestTopic(s.Struct):
    topic_name = s.string()
    partitions = s.array(s.int32)
class DescribeShareGroupOffsetsRequestGroup(s.Struct):
    group_id = s.string()
    topics = s.nullable_array(DescribeShareGroupOffsetsRequestTopic, default=None)
class DescribeShareGroupOffsetsRequest(s.Request, key=90, versions="0-1", flexible="0+"):
    groups = s.array(DescribeShareGroupOffsetsRequestGroup)

class DescribeShareGroupOffsetsResponsePartition(s.Struct):
    partition_index = s.int32()
    start_offset = s.int64()
    leader_epoch = s.int32()
    lag = s.int64("1+", default=-1)
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
class DescribeShareGroupOffsetsResponseTopic(s.Struct):
    topic_name = s.string()
    topic_id = s.uuid_()
    partitions = s.array(DescribeShareGroupOffsetsResponsePartition)
class DescribeShareGroupOffsetsResponseGroup(s.Struct):
    group_id = s.string()
    topics = s.array(DescribeShareGroupOffsetsResponseTopic)
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
class DescribeShareGroupOffsetsResponse(s.Response, key=90, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    groups = s.array(DescribeShareGroupOffsetsResponseGroup)

# AlterShareGroupOffsets (key 91): sets the start offsets of a share group (KIP-932).
class AlterShareGroupOffsetsRequestPartition(s.Struct):
    partition_index = s.int32()
    start_offset = s.int64()
class AlterShareGroupOffsetsRequestTopic(s.Struct):
    topic_name = s.string()
    partitions = s.array(AlterShareGroupOffsetsRequestPartition)
class AlterShareGroupOffsetsRequest(s.Request, key=91, versions="0", flexible="0+"):
    group_id = s.string()
    topics = s.array(AlterShareGroupOffsetsRequestTopic)

class AlterShareGroupOffsetsResponsePartition(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
class AlterShareGroupOffsetsResponseTopic(s.Struct):
    topic_name = s.string()
    topic_id = s.uuid_()
    partitions = s.array(AlterShareGroupOffsetsResponsePartition)
class AlterShareGroupOffsetsResponse(s.Response, key=91, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    responses = s.array(AlterShareGroupOffsetsResponseTopic)

# DeleteShareGroupOffsets (key 92): deletes the offsets of a share group (KIP-932).
class DeleteShareGroupOffsetsRequestTopic(s.Struct):
    topic_name = s.string()
class DeleteShareGroupOffsetsRequest(s.Request, key=92, versions="0", flexible="0+"):
    group_id = s.string()
    topics = s.array(DeleteShareGroupOffsetsRequestTopic)

class DeleteShareGroupOffsetsResponseTopic(s.Struct):
    topic_name = s.string()
    topic_id = s.uuid_()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
class DeleteShareGroupOffsetsResponse(s.Response, key=92, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    responses = s.array(DeleteShareGroupOffsetsResponseTopic)

# InitializeShareGroupState (key 83): begins the state of a share group's partitions (KIP-932).
class InitializeShareGroupStatePartitionData(s.Struct):
    partition = s.int32()
    state_epoch = s.int32()
    start_offset = s.int64()
class InitializeStateData(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(InitializeShareGroupStatePartitionData)
class InitializeShareGroupStateRequest(s.Request, key=83, versions="0", flexible="0+"):
    group_id = s.string()
    topics = s.array(InitializeStateData)

class PartitionResult(s.Struct):
    partition = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
class InitializeStateResult(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(PartitionResult)
class InitializeShareGroupStateResponse(s.Response, key=83, versions="0", flexible="0+"):
    results = s.array(InitializeStateResult)

# ReadShareGroupState (key 84): reads the state of a share group's partitions (KIP-932).
class ReadShareGroupStatePartitionData(s.Struct):
    partition = s.int32()
    leader_epoch = s.int32()
class ReadStateData(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(ReadShareGroupStatePartitionData)
class ReadShareGroupStateRequest(s.Request, key=84, versions="0", flexible="0+"):
    group_id = s.string()
    topics = s.array(ReadStateData)

class StateBatch(s.Struct):
    first_offset = s.int64()
    last_offset = s.int64()
    delivery_state = s.int8()
    delivery_count = s.int16()
class ReadShareGroupStatePartitionResult(s.Struct):
    partition = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    state_epoch = s.int32()
    start_offset = s.int64()
    state_batches = s.array(StateBatch)
class ReadStateResult(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(ReadShareGroupStatePartitionResult)
class ReadShareGroupStateResponse(s.Response, key=84, versions="0", flexible="0+"):
    results = s.array(ReadStateResult)

# ReadShareGroupStateSummary (key 87): reads where a share group's partitions start (KIP-932).
class ReadShareGroupStateSummaryPartitionData(s.Struct):
    partition = s.int32()
    leader_epoch = s.int32()
class ReadStateSummaryData(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(ReadShareGroupStateSummaryPartitionData)
class ReadShareGroupStateSummaryRequest(s.Request, key=87, versions="0-1", flexible="0+"):
    group_id = s.string()
    topics = s.array(ReadStateSummaryData)

class ReadShareGroupStateSummaryPartitionResult(s.Struct):
    partition = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    state_epoch = s.int32()
    leader_epoch = s.int32()
    start_offset = s.int64()
    delivery_complete_count = s.int32("1+", default=-1)
class ReadStateSummaryResult(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(ReadShareGroupStateSummaryPartitionResult)
class ReadShareGroupStateSummaryResponse(s.Response, key=87, versions="0-1", flexible="0+"):
    results = s.array(ReadStateSummaryResult)

# WriteShareGroupState (key 85): writes the state of a share group's partitions (KIP-932).
class WriteShareGroupStatePartitionData(s.Struct):
    partition = s.int32()
    state_epoch = s.int32()
    leader_epoch = s.int32()
    start_offset = s.int64()
    delivery_complete_count = s.int32("1+", default=-1)
    state_batches = s.array(StateBatch)
class WriteStateData(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(WriteShareGroupStatePartitionData)
class WriteShareGroupStateRequest(s.Request, key=85, versions="0-1", flexible="0+"):
    group_id = s.string()
    topics = s.array(WriteStateData)

class WriteStateResult(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(PartitionResult)
class WriteShareGroupStateResponse(s.Response, key=85, versions="0-1", flexible="0+"):
    results = s.array(WriteStateResult)

# DeleteShareGroupState (key 86): deletes the state of a share group's partitions (KIP-932).
class DeleteShareGroupStatePartitionData(s.Struct):
    partition = s.int32()
class DeleteStateData(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(DeleteShareGroupStatePartitionData)
class DeleteShareGroupStateRequest(s.Request, key=86, versions="0", flexible="0+"):
    group_id = s.string()
    topics = s.array(DeleteStateData)

class DeleteStateResult(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(PartitionResult)
class DeleteShareGroupStateResponse(s.Response, key=86, versions="0", flexible="0+"):
    results = s.array(DeleteStateResult)
