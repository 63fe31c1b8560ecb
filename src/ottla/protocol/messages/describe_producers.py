"""DescribeProducers (key 61): the producers that are active on partitions (KIP-664)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, nullable_string, string


class TopicRequest(Struct):
    name = string()
    partition_indexes = array(int32)


class DescribeProducersRequest(Request, key=61, versions="0", flexible="0+"):
    topics = array(TopicRequest)


class ProducerState(Struct):
    producer_id = int64()
    producer_epoch = int32()
    last_sequence = int32(default=-1)
    last_timestamp = int64(default=-1)
    coordinator_epoch = int32()
    current_txn_start_offset = int64(default=-1)


class PartitionResponse(Struct):
    partition_index = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    active_producers = array(ProducerState)


class TopicResponse(Struct):
    name = string()
    partitions = array(PartitionResponse)


class DescribeProducersResponse(Response, key=61, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    topics = array(TopicResponse)
