"""ShareAcknowledge (key 79): acknowledges records of a share group (KIP-932)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int8,
    int16,
    int32,
    int64,
    nullable_string,
    string,
    struct_,
    uuid_,
)


class AcknowledgementBatch(Struct):
    first_offset = int64()
    last_offset = int64()
    acknowledge_types = array(int8)


class AcknowledgePartition(Struct):
    partition_index = int32()
    acknowledgement_batches = array(AcknowledgementBatch)


class AcknowledgeTopic(Struct):
    topic_id = uuid_()
    partitions = array(AcknowledgePartition)


class ShareAcknowledgeRequest(Request, key=79, versions="0-2", flexible="0+"):
    group_id = nullable_string(default=None)
    member_id = nullable_string()
    share_session_epoch = int32()
    is_renew_ack = boolean("2+")
    topics = array(AcknowledgeTopic)


class LeaderIdAndEpoch(Struct):
    leader_id = int32()
    leader_epoch = int32()


class PartitionData(Struct):
    partition_index = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    current_leader = struct_(LeaderIdAndEpoch)


class ShareAcknowledgeTopicResponse(Struct):
    topic_id = uuid_()
    partitions = array(PartitionData)


class NodeEndpoint(Struct):
    node_id = int32()
    host = string()
    port = int32()
    rack = nullable_string(default=None)


class ShareAcknowledgeResponse(Response, key=79, versions="0-2", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    acquisition_lock_timeout_ms = int32("2+")
    responses = array(ShareAcknowledgeTopicResponse)
    node_endpoints = array(NodeEndpoint)
