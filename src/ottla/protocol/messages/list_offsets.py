"""ListOffsets (key 2): looks up offsets by timestamp, or the earliest and the latest."""

from ottla.protocol import schema as s


class ListOffsetsPartition(s.Struct):
    partition_index = s.int32()
    current_leader_epoch = s.int32("4+", default=-1)
    timestamp = s.int64()
    max_num_offsets = s.int32("0", default=1)
class ListOffsetsTopic(s.Struct):
    name = s.string()
    partitions = s.array(ListOffsetsPartition)
class ListOffsetsRequest(s.Request, key=2, versions="0-11", flexible="6+"):
    replica_id = s.int32()
    isolation_level = s.int8("2+")
    topics = s.array(ListOffsetsTopic)
    timeout_ms = s.int32("10+")

class ListOffsetsPartitionResponse(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
    old_style_offsets = s.array(s.int64, "0")
    timestamp = s.int64("1+", default=-1)
    offset = s.int64("1+", default=-1)
    leader_epoch = s.int32("4+", default=-1)
class ListOffsetsTopicResponse(s.Struct):
    name = s.string()
    partitions = s.array(ListOffsetsPartitionResponse)
class ListOffsetsResponse(s.Response, key=2, versions="0-11", flexible="6+"):
    throttle_time_ms = s.int32("2+")
    topics = s.array(ListOffsetsTopicResponse)
