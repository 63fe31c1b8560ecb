"""Produce (key 0): appends record batches to partitions. The record batches stay as they are: `records` is a slice of
the frame.
"""

from ottla.protocol import schema as s


class PartitionProduceData(s.Struct):
    index = s.int32()
    records = s.nullable_records()
class TopicProduceData(s.Struct):
    name = s.string("0-12")
    topic_id = s.uuid_("13+")
    partition_data = s.array(PartitionProduceData)
class ProduceRequest(s.Request, key=0, versions="0-13", flexible="9+"):
    transactional_id = s.nullable_string("3+", default=None)
    acks = s.int16()
    timeout_ms = s.int32()
    topic_data = s.array(TopicProduceData)

class BatchIndexAndErrorMessage(s.Struct):
    batch_index = s.int32("8+")
    batch_index_error_message = s.nullable_string("8+", default=None)
class LeaderIdAndEpoch(s.Struct):
    leader_id = s.int32("10+", default=-1)
    leader_epoch = s.int32("10+", default=-1)
class PartitionProduceResponse(s.Struct):
    index = s.int32()
    error_code = s.int16()
    base_offset = s.int64()
    log_append_time_ms = s.int64("2+", default=-1)
    log_start_offset = s.int64("5+", default=-1)
    record_errors = s.array(BatchIndexAndErrorMessage, "8+")
    error_message = s.nullable_string("8+", default=None)
    current_leader = s.struct_(LeaderIdAndEpoch, "10+", tag=0)
class TopicProduceResponse(s.Struct):
    name = s.string("0-12")
    topic_id = s.uuid_("13+")
    partition_responses = s.array(PartitionProduceResponse)
class NodeEndpoint(s.Struct):
    node_id = s.int32("10+")
    host = s.string("10+")
    port = s.int32("10+")
    rack = s.nullable_string("10+", default=None)
class ProduceResponse(s.Response, key=0, versions="0-13", flexible="9+"):
    responses = s.array(TopicProduceResponse)
    throttle_time_ms = s.int32("1+")
    node_endpoints = s.array(NodeEndpoint, "10+", tag=0)
