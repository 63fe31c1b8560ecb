"""Committed offsets in `__consumer_offsets`: key versions 0 and 1."""

from ottla.protocol.schema import Data, int32, int64, string


class OffsetCommitKey(Data, versions="0-1"):
    group = string("0-1")
    topic = string("0-1")
    partition = int32("0-1")


class OffsetCommitValue(Data, versions="0-4", flexible="4+"):
    offset = int64()
    leader_epoch = int32("3+", default=-1)
    metadata = string()
    commit_timestamp = int64()
    expire_timestamp = int64("1", default=-1)
