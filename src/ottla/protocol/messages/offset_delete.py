"""OffsetDelete (key 47): deletes committed offsets of a group. Never flexible."""

from ottla.protocol import schema as s


class OffsetDeleteRequestPartition(s.Struct):
    partition_index = s.int32()
class OffsetDeleteRequestTopic(s.Struct):
    name = s.string()
    partitions = s.array(OffsetDeleteRequestPartition)
class OffsetDeleteRequest(s.Request, key=47, versions="0"):
    group_id = s.string()
    topics = s.array(OffsetDeleteRequestTopic)

class OffsetDeleteResponsePartition(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
class OffsetDeleteResponseTopic(s.Struct):
    name = s.string()
    partitions = s.array(OffsetDeleteResponsePartition)
class OffsetDeleteResponse(s.Response, key=47, versions="0"):
    error_code = s.int16()
    throttle_time_ms = s.int32()
    topics = s.array(OffsetDeleteResponseTopic)
