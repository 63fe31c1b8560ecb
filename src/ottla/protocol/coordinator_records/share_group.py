"""Share groups in `__consumer_offsets`: key versions 9 to 15 (KIP-932)."""

from ottla.protocol import schema as s


class ShareGroupCurrentMemberAssignmentKey(s.Data, versions="14"):
    group_id = s.string("14")
    member_id = s.string("14")

class TopicPartitions(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(s.int32)
class ShareGroupCurrentMemberAssignmentValue(s.Data, versions="0", flexible="0+"):
    member_epoch = s.int32()
    previous_member_epoch = s.int32()
    state = s.int8()
    assigned_partitions = s.array(TopicPartitions)

class ShareGroupMemberMetadataKey(s.Data, versions="10"):
    group_id = s.string("10")
    member_id = s.string("10")

class ShareGroupMemberMetadataValue(s.Data, versions="0", flexible="0+"):
    rack_id = s.nullable_string()
    client_id = s.string()
    client_host = s.string()
    subscribed_topic_names = s.array(s.string)

class ShareGroupMetadataKey(s.Data, versions="11"):
    group_id = s.string("11")

class ShareGroupMetadataValue(s.Data, versions="0", flexible="0+"):
    epoch = s.int32()

class ShareGroupPartitionMetadataKey(s.Data, versions="9"):
    group_id = s.string("9")

class PartitionMetadata(s.Struct):
    partition = s.int32()
    racks = s.array(s.string)
class TopicMetadata(s.Struct):
    topic_id = s.uuid_()
    topic_name = s.string()
    num_partitions = s.int32()
    partition_metadata = s.array(PartitionMetadata)
class ShareGroupPartitionMetadataValue(s.Data, versions="0", flexible="0+"):
    topics = s.array(TopicMetadata)

class ShareGroupStatePartitionMetadataKey(s.Data, versions="15"):
    group_id = s.string("15")

class TopicPartitionsInfo(s.Struct):
    topic_id = s.uuid_()
    topic_name = s.string()
    partitions = s.array(s.int32)
class TopicInfo(s.Struct):
    topic_id = s.uuid_()
    topic_name = s.string()
class ShareGroupStatePartitionMetadataValue(s.Data, versions="0", flexible="0+"):
    initialized_topics = s.array(TopicPartitionsInfo)
    deleting_topics = s.array(TopicInfo)

class ShareGroupTargetAssignmentMemberKey(s.Data, versions="13"):
    group_id = s.string("13")
    member_id = s.string("13")

class TopicPartition(s.Struct):
    topic_id = s.uuid_()
    partitions = s.array(s.int32)
class ShareGroupTargetAssignmentMemberValue(s.Data, versions="0", flexible="0+"):
    topic_partitions = s.array(TopicPartition)

class ShareGroupTargetAssignmentMetadataKey(s.Data, versions="12"):
    group_id = s.string("12")

class ShareGroupTargetAssignmentMetadataValue(s.Data, versions="0", flexible="0+"):
    assignment_epoch = s.int32()
