"""OffsetForLeaderEpoch (key 23): where the epoch of a leader ends in the log (KIP-101, KIP-320)."""

from ottla.protocol import schema as s


class OffsetForLeaderPartition(s.Struct):
    partition = s.int32()
    current_leader_epoch = s.int32("2+", default=-1)
    leader_epoch = s.int32()
class OffsetForLeaderTopic(s.Struct):
    topic = s.string()
    partitions = s.array(OffsetForLeaderPartition)
class OffsetForLeaderEpochRequest(s.Request, key=23, versions="0-4", flexible="4+"):
    replica_id = s.int32("3+", default=-2)
    topics = s.array(OffsetForLeaderTopic)

class EpochEndOffset(s.Struct):
    error_code = s.int16()
    partition = s.int32()
    leader_epoch = s.int32("1+", default=-1)
    end_offset = s.int64(default=-1)
class OffsetForLeaderTopicResult(s.Struct):
    topic = s.string()
    partitions = s.array(EpochEndOffset)
class OffsetForLeaderEpochResponse(s.Response, key=23, versions="0-4", flexible="4+"):
    throttle_time_ms = s.int32("2+")
    topics = s.array(OffsetForLeaderTopicResult)
