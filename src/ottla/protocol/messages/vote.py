"""Vote (key 52): a KRaft candidate asks for votes; with pre-vote from version 2 on (KIP-996)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int16,
    int32,
    int64,
    nullable_string,
    string,
    uint16,
    uuid_,
)


class RequestPartitionData(Struct):
    partition_index = int32()
    replica_epoch = int32()
    replica_id = int32()
    replica_directory_id = uuid_("1+")
    voter_directory_id = uuid_("1+")
    last_offset_epoch = int32()
    last_offset = int64()
    pre_vote = boolean("2+")


class RequestTopicData(Struct):
    topic_name = string()
    partitions = array(RequestPartitionData)


class VoteRequest(Request, key=52, versions="0-2", flexible="0+"):
    cluster_id = nullable_string(default=None)
    voter_id = int32("1+", default=-1)
    topics = array(RequestTopicData)


class ResponsePartitionData(Struct):
    partition_index = int32()
    error_code = int16()
    leader_id = int32()
    leader_epoch = int32()
    vote_granted = boolean()


class ResponseTopicData(Struct):
    topic_name = string()
    partitions = array(ResponsePartitionData)


class NodeEndpoint(Struct):
    node_id = int32("1+")
    host = string("1+")
    port = uint16("1+")


class VoteResponse(Response, key=52, versions="0-2", flexible="0+"):
    error_code = int16()
    topics = array(ResponseTopicData)
    node_endpoints = array(NodeEndpoint, "1+", tag=0)
