"""Produce (key 0): appends record batches to partitions. The record batches stay as they are: `records` is a slice of
the frame.
"""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int16,
    int32,
    int64,
    nullable_records,
    nullable_string,
    string,
    struct_,
    uuid_,
)


class PartitionProduceData(Struct):
    index = int32()
    records = nullable_records()


class TopicProduceData(Struct):
    name = string("0-12")
    topic_id = uuid_("13+")
    partition_data = array(PartitionProduceData)


class ProduceRequest(Request, key=0, versions="0-13", flexible="9+"):
    transactional_id = nullable_string("3+", default=None)
    acks = int16()
    timeout_ms = int32()
    topic_data = array(TopicProduceData)


class BatchIndexAndErrorMessage(Struct):
    batch_index = int32("8+")
    batch_index_error_message = nullable_string("8+", default=None)


class LeaderIdAndEpoch(Struct):
    leader_id = int32("10+", default=-1)
    leader_epoch = int32("10+", default=-1)


class PartitionProduceResponse(Struct):
    index = int32()
    error_code = int16()
    base_offset = int64()
    log_append_time_ms = int64("2+", default=-1)
    log_start_offset = int64("5+", default=-1)
    record_errors = array(BatchIndexAndErrorMessage, "8+")
    error_message = nullable_string("8+", default=None)
    current_leader = struct_(LeaderIdAndEpoch, "10+", tag=0)


class TopicProduceResponse(Struct):
    name = string("0-12")
    topic_id = uuid_("13+")
    partition_responses = array(PartitionProduceResponse)


class NodeEndpoint(Struct):
    node_id = int32("10+")
    host = string("10+")
    port = int32("10+")
    rack = nullable_string("10+", default=None)


class ProduceResponse(Response, key=0, versions="0-13", flexible="9+"):
    responses = array(TopicProduceResponse)
    throttle_time_ms = int32("1+")
    node_endpoints = array(NodeEndpoint, "10+", tag=0)
