"""AlterShareGroupOffsets (key 91): sets the start offsets of a share group (KIP-932)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, nullable_string, string, uuid_


class AlterShareGroupOffsetsRequestPartition(Struct):
    partition_index = int32()
    start_offset = int64()


class AlterShareGroupOffsetsRequestTopic(Struct):
    topic_name = string()
    partitions = array(AlterShareGroupOffsetsRequestPartition)


class AlterShareGroupOffsetsRequest(Request, key=91, versions="0", flexible="0+"):
    group_id = string()
    topics = array(AlterShareGroupOffsetsRequestTopic)


class AlterShareGroupOffsetsResponsePartition(Struct):
    partition_index = int32()
    error_code = int16()
    error_message = nullable_string(default=None)


class AlterShareGroupOffsetsResponseTopic(Struct):
    topic_name = string()
    topic_id = uuid_()
    partitions = array(AlterShareGroupOffsetsResponsePartition)


class AlterShareGroupOffsetsResponse(Response, key=91, versions="0", flexible="0+"):
    throttle_time_ms = int32()
    error_code = int16()
    error_message = nullable_string(default=None)
    responses = array(AlterShareGroupOffsetsResponseTopic)
