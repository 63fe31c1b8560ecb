"""OffsetForLeaderEpoch (key 23): where the epoch of a leader ends in the log (KIP-101, KIP-320)."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, string


class OffsetForLeaderPartition(Struct):
    partition = int32()
    current_leader_epoch = int32("2+", default=-1)
    leader_epoch = int32()


class OffsetForLeaderTopic(Struct):
    topic = string()
    partitions = array(OffsetForLeaderPartition)


class OffsetForLeaderEpochRequest(Request, key=23, versions="0-4", flexible="4+"):
    replica_id = int32("3+", default=-2)
    topics = array(OffsetForLeaderTopic)


class EpochEndOffset(Struct):
    error_code = int16()
    partition = int32()
    leader_epoch = int32("1+", default=-1)
    end_offset = int64(default=-1)


class OffsetForLeaderTopicResult(Struct):
    topic = string()
    partitions = array(EpochEndOffset)


class OffsetForLeaderEpochResponse(Response, key=23, versions="0-4", flexible="4+"):
    throttle_time_ms = int32("2+")
    topics = array(OffsetForLeaderTopicResult)
