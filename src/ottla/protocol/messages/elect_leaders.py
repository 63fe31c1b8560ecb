"""ElectLeaders (key 43): starts leader elections, preferred or unclean."""

from ottla.protocol import schema as s


class TopicPartitions(s.Struct):
    topic = s.string()
    partitions = s.array(s.int32)
class ElectLeadersRequest(s.Request, key=43, versions="0-2", flexible="2+"):
    election_type = s.int8("1+")
    topic_partitions = s.nullable_array(TopicPartitions)
    timeout_ms = s.int32(default=60000)

class PartitionResult(s.Struct):
    partition_id = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()
class ReplicaElectionResult(s.Struct):
    topic = s.string()
    partition_result = s.array(PartitionResult)
class ElectLeadersResponse(s.Response, key=43, versions="0-2", flexible="2+"):
    throttle_time_ms = s.int32()
    error_code = s.int16("1+")
    replica_election_results = s.array(ReplicaElectionResult)
