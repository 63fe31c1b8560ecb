"""Share groups in `__consumer_offsets`: key versions 9 to 15 (KIP-932)."""

from ottla.protocol.schema import Data, Struct, array, int8, int32, nullable_string, string, uuid_


class ShareGroupCurrentMemberAssignmentKey(Data, versions="14"):
    group_id = string("14")
    member_id = string("14")


class TopicPartitions(Struct):
    topic_id = uuid_()
    partitions = array(int32)


class ShareGroupCurrentMemberAssignmentValue(Data, versions="0", flexible="0+"):
    member_epoch = int32()
    previous_member_epoch = int32()
    state = int8()
    assigned_partitions = array(TopicPartitions)


class ShareGroupMemberMetadataKey(Data, versions="10"):
    group_id = string("10")
    member_id = string("10")


class ShareGroupMemberMetadataValue(Data, versions="0", flexible="0+"):
    rack_id = nullable_string()
    client_id = string()
    client_host = string()
    subscribed_topic_names = array(string)


class ShareGroupMetadataKey(Data, versions="11"):
    group_id = string("11")


class ShareGroupMetadataValue(Data, versions="0", flexible="0+"):
    epoch = int32()


class ShareGroupPartitionMetadataKey(Data, versions="9"):
    group_id = string("9")


class PartitionMetadata(Struct):
    partition = int32()
    racks = array(string)


class TopicMetadata(Struct):
    topic_id = uuid_()
    topic_name = string()
    num_partitions = int32()
    partition_metadata = array(PartitionMetadata)


class ShareGroupPartitionMetadataValue(Data, versions="0", flexible="0+"):
    topics = array(TopicMetadata)


class ShareGroupStatePartitionMetadataKey(Data, versions="15"):
    group_id = string("15")


class TopicPartitionsInfo(Struct):
    topic_id = uuid_()
    topic_name = string()
    partitions = array(int32)


class TopicInfo(Struct):
    topic_id = uuid_()
    topic_name = string()


class ShareGroupStatePartitionMetadataValue(Data, versions="0", flexible="0+"):
    initialized_topics = array(TopicPartitionsInfo)
    deleting_topics = array(TopicInfo)


class ShareGroupTargetAssignmentMemberKey(Data, versions="13"):
    group_id = string("13")
    member_id = string("13")


class TopicPartition(Struct):
    topic_id = uuid_()
    partitions = array(int32)


class ShareGroupTargetAssignmentMemberValue(Data, versions="0", flexible="0+"):
    topic_partitions = array(TopicPartition)


class ShareGroupTargetAssignmentMetadataKey(Data, versions="12"):
    group_id = string("12")


class ShareGroupTargetAssignmentMetadataValue(Data, versions="0", flexible="0+"):
    assignment_epoch = int32()
