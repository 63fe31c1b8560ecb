"""AlterPartitionReassignments (key 45): moves partitions to other brokers, or cancels that (KIP-455)."""

from ottla.protocol import schema as s


class ReassignablePartition(s.Struct):
    partition_index = s.int32()
    replicas = s.nullable_array(s.int32, default=None)
class ReassignableTopic(s.Struct):
    name = s.string()
    partitions = s.array(ReassignablePartition)
class AlterPartitionReassignmentsRequest(s.Request, key=45, versions="0-1", flexible="0+"):
    timeout_ms = s.int32(default=60000)
    allow_replication_factor_change = s.boolean("1+", default=True)
    topics = s.array(ReassignableTopic)

class ReassignablePartitionResponse(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string()
class ReassignableTopicResponse(s.Struct):
    name = s.string()
    partitions = s.array(ReassignablePartitionResponse)
class AlterPartitionReassignmentsResponse(s.Response, key=45, versions="0-1", flexible="0+"):
    throttle_time_ms = s.int32()
    allow_replication_factor_change = s.boolean("1+", default=True)
    error_code = s.int16()
    error_message = s.nullable_string()
    responses = s.array(ReassignableTopicResponse)
