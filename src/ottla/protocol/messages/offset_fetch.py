"""OffsetFetch (key 9): asks how far consumer groups have read; several groups at once from version 8 on."""

from ottla.protocol.schema import (
    Request,
    Response,
    Struct,
    array,
    boolean,
    int16,
    int32,
    int64,
    nullable_array,
    nullable_string,
    string,
    uuid_,
)


class OffsetFetchRequestTopic(Struct):
    name = string("0-7")
    partition_indexes = array(int32, "0-7")


class OffsetFetchRequestTopics(Struct):
    name = string("8-9")
    topic_id = uuid_("10+")
    partition_indexes = array(int32, "8+")


class OffsetFetchRequestGroup(Struct):
    group_id = string("8+")
    member_id = nullable_string("9+", default=None)
    member_epoch = int32("9+", default=-1)
    topics = nullable_array(OffsetFetchRequestTopics, "8+")


class OffsetFetchRequest(Request, key=9, versions="0-10", flexible="6+"):
    group_id = string("0-7")
    topics = nullable_array(OffsetFetchRequestTopic, "0-7", nullable="2-7")
    groups = array(OffsetFetchRequestGroup, "8+")
    require_stable = boolean("7+")


class OffsetFetchResponsePartition(Struct):
    partition_index = int32("0-7")
    committed_offset = int64("0-7")
    committed_leader_epoch = int32("5-7", default=-1)
    metadata = nullable_string("0-7")
    error_code = int16("0-7")


class OffsetFetchResponseTopic(Struct):
    name = string("0-7")
    partitions = array(OffsetFetchResponsePartition, "0-7")


class OffsetFetchResponsePartitions(Struct):
    partition_index = int32("8+")
    committed_offset = int64("8+")
    committed_leader_epoch = int32("8+", default=-1)
    metadata = nullable_string("8+")
    error_code = int16("8+")


class OffsetFetchResponseTopics(Struct):
    name = string("8-9")
    topic_id = uuid_("10+")
    partitions = array(OffsetFetchResponsePartitions, "8+")


class OffsetFetchResponseGroup(Struct):
    group_id = string("8+")
    topics = array(OffsetFetchResponseTopics, "8+")
    error_code = int16("8+")


class OffsetFetchResponse(Response, key=9, versions="0-10", flexible="6+"):
    throttle_time_ms = int32("3+")
    topics = array(OffsetFetchResponseTopic, "0-7")
    error_code = int16("2-7")
    groups = array(OffsetFetchResponseGroup, "8+")
