"""ListPartitionReassignments (key 46): the reassignments that are under way (KIP-455)."""

from ottla.protocol import schema as s


class ListPartitionReassignmentsTopics(s.Struct):
    name = s.string()
    partition_indexes = s.array(s.int32)
class ListPartitionReassignmentsRequest(s.Request, key=46, versions="0", flexible="0+"):
    timeout_ms = s.int32(default=60000)
    topics = s.nullable_array(ListPartitionReassignmentsTopics, default=None)

class OngoingPartitionReassignment(s.Struct):
    partition_index = s.int32()
    replicas = s.array(s.int32)
    adding_replicas = s.array(s.int32)
    removing_replicas = s.array(s.int32)
class OngoingTopicReassignment(s.Struct):
    name = s.string()
    partitions = s.array(OngoingPartitionReassignment)
class ListPartitionReassignmentsResponse(s.Response, key=46, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()
    topics = s.array(OngoingTopicReassignment)
