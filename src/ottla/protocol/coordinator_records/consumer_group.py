"""KIP-848 groups in `__consumer_offsets`: key versions 3 to 8."""

from ottla.protocol.schema import (
    Data,
    Struct,
    array,
    bytes_,
    int8,
    int32,
    nullable_string,
    nullable_struct,
    string,
    uuid_,
)


class ConsumerGroupCurrentMemberAssignmentKey(Data, versions="8"):
    group_id = string("8")
    member_id = string("8")


class TopicPartitions(Struct):
    topic_id = uuid_()
    partitions = array(int32)


class ConsumerGroupCurrentMemberAssignmentValue(Data, versions="0", flexible="0+"):
    member_epoch = int32()
    previous_member_epoch = int32()
    state = int8()
    assigned_partitions = array(TopicPartitions)
    partitions_pending_revocation = array(TopicPartitions)


class ConsumerGroupMemberMetadataKey(Data, versions="5"):
    group_id = string("5")
    member_id = string("5")


class ClassicProtocol(Struct):
    name = string()
    metadata = bytes_()


class ClassicMemberMetadata(Struct):
    session_timeout_ms = int32()
    supported_protocols = array(ClassicProtocol)


class ConsumerGroupMemberMetadataValue(Data, versions="0", flexible="0+"):
    instance_id = nullable_string()
    rack_id = nullable_string()
    client_id = string()
    client_host = string()
    subscribed_topic_names = array(string)
    subscribed_topic_regex = nullable_string()
    rebalance_timeout_ms = int32(default=-1)
    server_assignor = nullable_string()
    classic_member_metadata = nullable_struct(ClassicMemberMetadata, tag=0)


class ConsumerGroupMetadataKey(Data, versions="3"):
    group_id = string("3")


class ConsumerGroupMetadataValue(Data, versions="0", flexible="0+"):
    epoch = int32()


class ConsumerGroupPartitionMetadataKey(Data, versions="4"):
    group_id = string("4")


class PartitionMetadata(Struct):
    partition = int32()
    racks = array(string)


class TopicMetadata(Struct):
    topic_id = uuid_()
    topic_name = string()
    num_partitions = int32()
    partition_metadata = array(PartitionMetadata)


class ConsumerGroupPartitionMetadataValue(Data, versions="0", flexible="0+"):
    topics = array(TopicMetadata)


class ConsumerGroupTargetAssignmentMemberKey(Data, versions="7"):
    group_id = string("7")
    member_id = string("7")


class TopicPartition(Struct):
    topic_id = uuid_()
    partitions = array(int32)


class ConsumerGroupTargetAssignmentMemberValue(Data, versions="0", flexible="0+"):
    topic_partitions = array(TopicPartition)


class ConsumerGroupTargetAssignmentMetadataKey(Data, versions="6"):
    group_id = string("6")


class ConsumerGroupTargetAssignmentMetadataValue(Data, versions="0", flexible="0+"):
    assignment_epoch = int32()
