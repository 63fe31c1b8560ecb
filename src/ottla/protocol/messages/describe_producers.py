"""DescribeProducers (key 61): the producers that are active on partitions (KIP-664)."""

from ottla.protocol import schema as s


class TopicRequest(s.Struct):
    name = s.string()
    partition_indexes = s.array(s.int32)
class DescribeProducersRequest(s.Request, key=61, versions="0", flexible="0+"):
    topics = s.array(TopicRequest)

class ProducerState(s.Struct):
    producer_id = s.int64()
    producer_epoch = s.int32()
    last_sequence = s.int32(default=-1)
    last_timestamp = s.int64(default=-1)
    coordinator_epoch = s.int32()
    current_txn_start_offset = s.int64(default=-1)
class PartitionResponse(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    error_message = s.nullable_string(default=None)
    active_producers = s.array(ProducerState)
class TopicResponse(s.Struct):
    name = s.string()
    partitions = s.array(PartitionResponse)
class DescribeProducersResponse(s.Response, key=61, versions="0", flexible="0+"):
    throttle_time_ms = s.int32()
    topics = s.array(TopicResponse)
