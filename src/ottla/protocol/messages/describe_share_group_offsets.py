"""DescribeShareGroupOffsets (key 90): the start offsets of share groups (KIP-932)."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    int16,
    int32,
    int64,
    nullable_array,
    nullable_string,
    string,
    uuid_,
)


class DescribeShareGroupOffsetsRequestTopic(Struct):
    topic_name = string()
    partitions = array(int32)


class DescribeShareGroupOffsetsRequestGroup(Struct):
    group_id = string()
    topics = nullable_array(DescribeShareGroupOffsetsRequestTopic, default=None)


class DescribeShareGroupOffsetsRequest(Request, key=90, versions="0-1", flexible="0+"):
    groups = array(DescribeShareGroupOffsetsRequestGroup)


class DescribeShareGroupOffsetsResponsePartition(Struct):
    partition_index = int32()
    start_offset = int64()
    leader_epoch = int32()
    lag = int64("1+", default=-1)
    error_code = int16()
    error_message = nullable_string(default=None)


class DescribeShareGroupOffsetsResponseTopic(Struct):
    topic_name = string()
    topic_id = uuid_()
    partitions = array(DescribeShareGroupOffsetsResponsePartition)


class DescribeShareGroupOffsetsResponseGroup(Struct):
    group_id = string()
    topics = array(DescribeShareGroupOffsetsResponseTopic)
    error_code = int16()
    error_message = nullable_string(default=None)


class DescribeShareGroupOffsetsResponse(Response, key=90, versions="0-1", flexible="0+"):
    throttle_time_ms = int32()
    groups = array(DescribeShareGroupOffsetsResponseGroup)
