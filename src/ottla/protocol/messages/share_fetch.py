"""ShareFetch (key 78): fetches records for a share group and acknowledges earlier ones (KIP-932)."""

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
    nullable_records,
    nullable_string,
    string,
    struct_,
    uuid_,
)


class AcknowledgementBatch(Struct):
    first_offset = int64()
    last_offset = int64()
    acknowledge_types = array(int8)


class FetchPartition(Struct):
    partition_index = int32()
    partition_max_bytes = int32("0")
    acknowledgement_batches = array(AcknowledgementBatch)


class FetchTopic(Struct):
    topic_id = uuid_()
    partitions = array(FetchPartition)


class ForgottenTopic(Struct):
    topic_id = uuid_()
    partitions = array(int32)


class ShareFetchRequest(Request, key=78, versions="0-2", flexible="0+"):
    group_id = nullable_string(default=None)
    member_id = nullable_string()
    share_session_epoch = int32()
    max_wait_ms = int32()
    min_bytes = int32()
    max_bytes = int32(default=0x7FFFFFFF)
    max_records = int32("1+")
    batch_size = int32("1+")
    share_acquire_mode = int8("2+")
    is_renew_ack = boolean("2+")
    topics = array(FetchTopic)
    forgotten_topics_data = array(ForgottenTopic)


class LeaderIdAndEpoch(Struct):
    leader_id = int32()
    leader_epoch = int32()


class AcquiredRecords(Struct):
    first_offset = int64()
    last_offset = int64()
    delivery_count = int16()


class PartitionData(Struct):
    partition_index = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    acknowledge_error_code = int16()
    acknowledge_error_message = nullable_string(default=None)
    current_leader = struct_(LeaderIdAndEpoch)
    records = nullable_records()
    acquired_records = array(AcquiredRecords)


class ShareFetchableTopicResponse(Struct):
    topic_id = uuid_()
    partitions = array(PartitionData)


class NodeEndpoint(Struct):
    node_id = int32()
    host = string()
    port = int32()
    rack = nullable_string(default=None)


class ShareFetchResponse(Response, key=78, versions="0-2", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    acquisition_lock_timeout_ms = int32("1+")
    responses = array(ShareFetchableTopicResponse)
    node_endpoints = array(NodeEndpoint)
