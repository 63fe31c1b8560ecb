"""ElectLeaders (key 43): starts leader elections, preferred or unclean."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int8,
    int16,
    int32,
    nullable_array,
    nullable_string,
    string,
)


class TopicPartitions(Struct):
    topic = string()
    partitions = array(int32)


class ElectLeadersRequest(Request, key=43, versions="0-2", flexible="2+"):
    election_type = int8("1+")
    topic_partitions = nullable_array(TopicPartitions)
    timeout_ms = int32(default=60000)


class PartitionResult(Struct):
    partition_id = int32()
    error_code = int16()
    error_message = nullable_string()


class ReplicaElectionResult(Struct):
    topic = string()
    partition_result = array(PartitionResult)


class ElectLeadersResponse(Response, key=43, versions="0-2", flexible="2+"):
    throttle_time_ms = int32()
    error_code = int16("1+")
    replica_election_results = array(ReplicaElectionResult)
