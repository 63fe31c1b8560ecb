"""DescribeQuorum (key 55): the state of the KRaft quorum."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
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


class RequestTopicData(Struct):
    topic_name = string()
    partitions = array(RequestPartitionData)


class DescribeQuorumRequest(Request, key=55, versions="0-2", flexible="0+"):
    topics = array(RequestTopicData)


class ReplicaState(Struct):
    replica_id = int32()
    replica_directory_id = uuid_("2+")
    log_end_offset = int64()
    last_fetch_timestamp = int64("1+", default=-1)
    last_caught_up_timestamp = int64("1+", default=-1)


class ResponsePartitionData(Struct):
    partition_index = int32()
    error_code = int16()
    error_message = nullable_string("2+")
    leader_id = int32()
    leader_epoch = int32()
    high_watermark = int64()
    current_voters = array(ReplicaState)
    observers = array(ReplicaState)


class ResponseTopicData(Struct):
    topic_name = string()
    partitions = array(ResponsePartitionData)


class Listener(Struct):
    name = string("2+")
    host = string("2+")
    port = uint16("2+")


class Node(Struct):
    node_id = int32("2+")
    listeners = array(Listener, "2+")


class DescribeQuorumResponse(Response, key=55, versions="0-2", flexible="0+"):
    error_code = int16()
    error_message = nullable_string("2+")
    topics = array(ResponseTopicData)
    nodes = array(Node, "2+")
