"""TxnOffsetCommit (key 28): stores a group's offsets as part of a transaction."""

from ottla.protocol.schema import Request, Response, Struct, array, int16, int32, int64, nullable_string, string


class TxnOffsetCommitRequestPartition(Struct):
    partition_index = int32()
    committed_offset = int64()
    committed_leader_epoch = int32("2+", default=-1)
    committed_metadata = nullable_string()


class TxnOffsetCommitRequestTopic(Struct):
    name = string()
    partitions = array(TxnOffsetCommitRequestPartition)


class TxnOffsetCommitRequest(Request, key=28, versions="0-5", flexible="3+"):
    transactional_id = string()
    group_id = string()
    producer_id = int64()
    producer_epoch = int16()
    generation_id = int32("3+", default=-1)
    member_id = string("3+")
    group_instance_id = nullable_string("3+", default=None)
    topics = array(TxnOffsetCommitRequestTopic)


class TxnOffsetCommitResponsePartition(Struct):
    partition_index = int32()
    error_code = int16()


class TxnOffsetCommitResponseTopic(Struct):
    name = string()
    partitions = array(TxnOffsetCommitResponsePartition)


class TxnOffsetCommitResponse(Response, key=28, versions="0-5", flexible="3+"):
    throttle_time_ms = int32()
    topics = array(TxnOffsetCommitResponseTopic)
