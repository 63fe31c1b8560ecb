"""OffsetCommit (key 8): a consumer group stores how far it has read."""

from ottla.protocol import schema as s


class OffsetCommitRequestPartition(s.Struct):
    partition_index = s.int32()
    committed_offset = s.int64()
    committed_leader_epoch = s.int32("6+", default=-1)
    commit_timestamp = s.int64("1", default=-1)
    committed_metadata = s.nullable_string()
class OffsetCommitRequestTopic(s.Struct):
    name = s.string("0-9")
    topic_id = s.uuid_("10+")
    partitions = s.array(OffsetCommitRequestPartition)
class OffsetCommitRequest(s.Request, key=8, versions="0-10", flexible="8+"):
    group_id = s.string()
    generation_id_or_member_epoch = s.int32("1+", default=-1)
    member_id = s.string("1+")
    group_instance_id = s.nullable_string("7+", default=None)
    retention_time_ms = s.int64("2-4", default=-1)
    topics = s.array(OffsetCommitRequestTopic)

class OffsetCommitResponsePartition(s.Struct):
    partition_index = s.int32()
    error_code = s.int16()
class OffsetCommitResponseTopic(s.Struct):
    name = s.string("0-9")
    topic_id = s.uuid_("10+")
    partitions = s.array(OffsetCommitResponsePartition)
class OffsetCommitResponse(s.Response, key=8, versions="0-10", flexible="8+"):
    throttle_time_ms = s.int32("3+")
    topics = s.array(OffsetCommitResponseTopic)
