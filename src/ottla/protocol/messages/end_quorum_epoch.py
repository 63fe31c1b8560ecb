"""EndQuorumEpoch (key 54): a KRaft leader resigns."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, nullable_string, string, uint16, uuid_


class ReplicaInfo(Struct):
    candidate_id = int32("1+")
    candidate_directory_id = uuid_("1+")


class RequestPartitionData(Struct):
    partition_index = int32()
    leader_id = int32()
    leader_epoch = int32()
    preferred_successors = array(int32, "0")
    preferred_candidates = array(ReplicaInfo, "1+")


class RequestTopicData(Struct):
    topic_name = string()
    partitions = array(RequestPartitionData)


class LeaderEndpoint(Struct):
    name = string("1+")
    host = string("1+")
    port = uint16("1+")


class EndQuorumEpochRequest(Request, key=54, versions="0-1", flexible="1+"):
    cluster_id = nullable_string(default=None)
    topics = array(RequestTopicData)
    leader_endpoints = array(LeaderEndpoint, "1+")


class ResponsePartitionData(Struct):
    partition_index = int32()
    error_code = int16()
    leader_id = int32()
    leader_epoch = int32()


class ResponseTopicData(Struct):
    topic_name = string()
    partitions = array(ResponsePartitionData)


class NodeEndpoint(Struct):
    node_id = int32("1+")
    host = string("1+")
    port = uint16("1+")


class EndQuorumEpochResponse(Response, key=54, versions="0-1", flexible="1+"):
    error_code = int16()
    topics = array(ResponseTopicData)
    node_endpoints = array(NodeEndpoint, "1+", tag=0)
