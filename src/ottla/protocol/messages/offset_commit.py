"""OffsetCommit (key 8): a consumer group stores how far it has read."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, nullable_string, string, uuid_


class OffsetCommitRequestPartition(Struct):
    partition_index = int32()
    committed_offset = int64()
    committed_leader_epoch = int32("6+", default=-1)
    commit_timestamp = int64("1", default=-1)
    committed_metadata = nullable_string()


class OffsetCommitRequestTopic(Struct):
    name = string("0-9")
    topic_id = uuid_("10+")
    partitions = array(OffsetCommitRequestPartition)


class OffsetCommitRequest(Request, key=8, versions="0-10", flexible="8+"):
    group_id = string()
    generation_id_or_member_epoch = int32("1+", default=-1)
    member_id = string("1+")
    group_instance_id = nullable_string("7+", default=None)
    retention_time_ms = int64("2-4", default=-1)
    topics = array(OffsetCommitRequestTopic)


class OffsetCommitResponsePartition(Struct):
    partition_index = int32()
    error_code = int16()


class OffsetCommitResponseTopic(Struct):
    name = string("0-9")
    topic_id = uuid_("10+")
    partitions = array(OffsetCommitResponsePartition)


class OffsetCommitResponse(Response, key=8, versions="0-10", flexible="8+"):
    throttle_time_ms = int32("3+")
    topics = array(OffsetCommitResponseTopic)
