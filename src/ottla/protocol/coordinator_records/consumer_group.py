"""KIP-848 groups in `__consumer_offsets`: key versions 3 to 8."""

from ottla.protocol import schema as s


class ConsumerGroupCurrentMemberAssignmentKey(s.Data, versions="8"):
    group_id = s.string("8")
    member_id = s.string("8")

class TopicPartitions(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(s.int32)
class ConsumerGroupCurrentMemberAssignmentValue(s.Data, versions="0", flexible="0+"):
    member_epoch = s.int32()
    previous_member_epoch = s.int32()
    state = s.int8()
    assigned_partitions = s.array(TopicPartitions)
    partitions_pending_revocation = s.array(TopicPartitions)

class ConsumerGroupMemberMetadataKey(s.Data, versions="5"):
    group_id = s.string("5")
    member_id = s.string("5")

class ClassicProtocol(s.Struct):
    name = s.string()
    metadata = s.bytes_()
class ClassicMemberMetadata(s.Struct):
    session_timeout_ms = s.int32()
    supported_protocols = s.array(ClassicProtocol)
class ConsumerGroupMemberMetadataValue(s.Data, versions="0", flexible="0+"):
    instance_id = s.nullable_string()
    rack_id = s.nullable_string()
    client_id = s.string()
    client_host = s.string()
    subscribed_topic_names = s.array(s.string)
    subscribed_topic_regex = s.nullable_string()
    rebalance_timeout_ms = s.int32(default=-1)
    server_assignor = s.nullable_string()
    classic_member_metadata = s.nullable_struct(ClassicMemberMetadata, tag=0)

class ConsumerGroupMetadataKey(s.Data, versions="3"):
    group_id = s.string("3")

class ConsumerGroupMetadataValue(s.Data, versions="0", flexible="0+"):
    epoch = s.int32()

class ConsumerGroupPartitionMetadataKey(s.Data, versions="4"):
    group_id = s.string("4")

class PartitionMetadata(s.Struct):
    partition = s.int32()
    racks = s.array(s.string)
class TopicMetadata(s.Struct):
    topic_id = s.uuid_()
    topic_name = s.string()
    num_partitions = s.int32()
    partition_metadata = s.array(PartitionMetadata)
class ConsumerGroupPartitionMetadataValue(s.Data, versions="0", flexible="0+"):
    topics = s.array(TopicMetadata)

class ConsumerGroupTargetAssignmentMemberKey(s.Data, versions="7"):
    group_id = s.string("7")
    member_id = s.string("7")

class TopicPartition(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(s.int32)
class ConsumerGroupTargetAssignmentMemberValue(s.Data, versions="0", flexible="0+"):
    topic_partitions = s.array(TopicPartition)

class ConsumerGroupTargetAssignmentMetadataKey(s.Data, versions="6"):
    group_id = s.string("6")

class ConsumerGroupTargetAssignmentMetadataValue(s.Data, versions="0", flexible="0+"):
    assignment_epoch = s.int32()
