"""What members of classic consumer groups tell each other, in the `metadata` of JoinGroup and the `assignment` of
SyncGroup. Two bytes of version stand in front (see `versioned`). A version above the known ones is read as the highest
known one: newer clients only add fields at the end.
"""

from ottla.protocol import schema as s


class ConsumerProtocolSubscriptionTopicPartition(s.Struct):
    topic = s.string("1+")
    partitions = s.array(s.int32, "1+")
class ConsumerProtocolSubscription(s.Data, versions="0-3"):
    topics = s.array(s.string)
    user_data = s.nullable_bytes(default=None)
    owned_partitions = s.array(ConsumerProtocolSubscriptionTopicPartition, "1+")
    generation_id = s.int32("2+", default=-1)
    rack_id = s.nullable_string("3+", default=None)

class ConsumerProtocolAssignmentTopicPartition(s.Struct):
    topic = s.string()
    partitions = s.array(s.int32)
class ConsumerProtocolAssignment(s.Data, versions="0-3"):
    assigned_partitions = s.array(ConsumerProtocolAssignmentTopicPartition)
    user_data = s.nullable_bytes(default=None)
