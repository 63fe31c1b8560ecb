"""OffsetFetch (key 9): asks how far consumer groups have read; several groups at once from version 8 on."""

from ottla.protocol import schema as s


class OffsetFetchRequestTopic(s.Struct):
    name = s.string("0-7")
    partition_indexes = s.array(s.int32, "0-7")
class OffsetFetchRequestTopics(s.Struct):
    name = s.string("8-9")
    topic_id = s.uuid_("10+")
    partition_indexes = s.array(s.int32, "8+")
class OffsetFetchRequestGroup(s.Struct):
    group_id = s.string("8+")
    member_id = s.nullable_string("9+", default=None)
    member_epoch = s.int32("9+", default=-1)
    topics = s.nullable_array(OffsetFetchRequestTopics, "8+")
class OffsetFetchRequest(s.Request, key=9, versions="0-10", flexible="6+"):
    group_id = s.string("0-7")
    topics = s.nullable_array(OffsetFetchRequestTopic, "0-7", nullable="2-7")
    groups = s.array(OffsetFetchRequestGroup, "8+")
    require_stable = s.boolean("7+")

class OffsetFetchResponsePartition(s.Struct):
    partition_index = s.int32("0-7")
    committed_offset = s.int64("0-7")
    committed_leader_epoch = s.int32("5-7", default=-1)
    metadata = s.nullable_string("0-7")
    error_code = s.int16("0-7")
class OffsetFetchResponseTopic(s.Struct):
    name = s.string("0-7")
    partitions = s.array(OffsetFetchResponsePartition, "0-7")
class OffsetFetchResponsePartitions(s.Struct):
    partition_index = s.int32("8+")
    committed_offset = s.int64("8+")
    committed_leader_epoch = s.int32("8+", default=-1)
    metadata = s.nullable_string("8+")
    error_code = s.int16("8+")
class OffsetFetchResponseTopics(s.Struct):
    name = s.string("8-9")
    topic_id = s.uuid_("10+")
    partitions = s.array(OffsetFetchResponsePartitions, "8+")
class OffsetFetchResponseGroup(s.Struct):
    group_id = s.string("8+")
    topics = s.array(OffsetFetchResponseTopics, "8+")
    error_code = s.int16("8+")
class OffsetFetchResponse(s.Response, key=9, versions="0-10", flexible="6+"):
    throttle_time_ms = s.int32("3+")
    topics = s.array(OffsetFetchResponseTopic, "0-7")
    error_code = s.int16("2-7")
    groups = s.array(OffsetFetchResponseGroup, "8+")
