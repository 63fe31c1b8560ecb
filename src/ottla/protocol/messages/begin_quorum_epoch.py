"""BeginQuorumEpoch (key 53): a new KRaft leader announces itself."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, nullable_string, string, uint16, uuid_


class RequestPartitionData(Struct):
    partition_index = int32()
    voter_directory_id = uuid_("1+")
    leader_id = int32()
    leader_epoch = int32()


class RequestTopicData(Struct):
    topic_name = string()
    partitions = array(RequestPartitionData)


class LeaderEndpoint(Struct):
    name = string("1+")
    host = string("1+")
    port = uint16("1+")


class BeginQuorumEpochRequest(Request, key=53, versions="0-1", flexible="1+"):
    cluster_id = nullable_string(default=None)
    voter_id = int32("1+", default=-1)
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


class BeginQuorumEpochResponse(Response, key=53, versions="0-1", flexible="1+"):
    error_code = int16()
    topics = array(ResponseTopicData)
    node_endpoints = array(NodeEndpoint, "1+", tag=0)
