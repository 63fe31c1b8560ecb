"""What members of classic consumer groups tell each other, in the `metadata` of JoinGroup and the `assignment` of
SyncGroup. Two bytes of version stand in front (see `versioned`). A version above the known ones is read as the highest
known one: newer clients only add fields at the end.
"""

from ottla.protocol.schema import Data, Struct, array, int32, nullable_bytes, nullable_string, string


class ConsumerProtocolSubscriptionTopicPartition(Struct):
    topic = string("1+")
    partitions = array(int32, "1+")


class ConsumerProtocolSubscription(Data, versions="0-3"):
    topics = array(string)
    user_data = nullable_bytes(default=None)
    owned_partitions = array(ConsumerProtocolSubscriptionTopicPartition, "1+")
    generation_id = int32("2+", default=-1)
    rack_id = nullable_string("3+", default=None)


class ConsumerProtocolAssignmentTopicPartition(Struct):
    topic = string()
    partitions = array(int32)


class ConsumerProtocolAssignment(Data, versions="0-3"):
    assigned_partitions = array(ConsumerProtocolAssignmentTopicPartition)
    user_data = nullable_bytes(default=None)
