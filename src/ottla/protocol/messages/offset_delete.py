"""OffsetDelete (key 47): deletes committed offsets of a group. Never flexible."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, string


class OffsetDeleteRequestPartition(Struct):
    partition_index = int32()


class OffsetDeleteRequestTopic(Struct):
    name = string()
    partitions = array(OffsetDeleteRequestPartition)


class OffsetDeleteRequest(Request, key=47, versions="0"):
    group_id = string()
    topics = array(OffsetDeleteRequestTopic)


class OffsetDeleteResponsePartition(Struct):
    partition_index = int32()
    error_code = int16()


class OffsetDeleteResponseTopic(Struct):
    name = string()
    partitions = array(OffsetDeleteResponsePartition)


class OffsetDeleteResponse(Response, key=47, versions="0"):
    error_code = int16()
    throttle_time_ms = int32()
    topics = array(OffsetDeleteResponseTopic)
