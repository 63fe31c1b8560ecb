"""ListPartitionReassignments (key 46): the reassignments that are under way (KIP-455)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int16,
    int32,
    nullable_array,
    nullable_string,
    string,
)


class ListPartitionReassignmentsTopics(Struct):
    name = string()
    partition_indexes = array(int32)


class ListPartitionReassignmentsRequest(Request, key=46, versions="0", flexible="0+"):
    timeout_ms = int32(default=60000)
    topics = nullable_array(ListPartitionReassignmentsTopics, default=None)


class OngoingPartitionReassignment(Struct):
    partition_index = int32()
    replicas = array(int32)
    adding_replicas = array(int32)
    removing_replicas = array(int32)


class OngoingTopicReassignment(Struct):
    name = string()
    partitions = array(OngoingPartitionReassignment)


class ListPartitionReassignmentsResponse(Response, key=46, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string()
    topics = array(OngoingTopicReassignment)
