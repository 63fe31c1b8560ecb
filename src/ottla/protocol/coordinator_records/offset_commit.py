"""Committed offsets in `__consumer_offsets`: key versions 0 and 1."""

from ottla.protocol import schema as s


class OffsetCommitKey(s.Data, versions="0-1"):
    group = s.string("0-1")
    topic = s.string("0-1")
    partition = s.int32("0-1")

class OffsetCommitValue(s.Data, versions="0-4", flexible="4+"):
    offset = s.int64()
    leader_epoch = s.int32("3+", default=-1)
    metadata = s.string()
    commit_timestamp = s.int64()
    expire_timestamp = s.int64("1", default=-1)
