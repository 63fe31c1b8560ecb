"""Requests about offsets and their results: values without versions. Handlers make messages of them and back."""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.errors import ErrorCode
from ottla.model import TopicPartition


class OffsetToCommit(NamedTuple):
    """`expire_timestamp_ms`: only where a client of OffsetCommit 2 to 4 asked for a retention of its own."""

    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp_ms: int
    expire_timestamp_ms: int = -1


class CommitRequest(NamedTuple):
    group_id: str
    generation: int
    member_id: str
    instance_id: str | None
    offsets: Mapping[TopicPartition, OffsetToCommit]


CommitResult = Mapping[TopicPartition, ErrorCode]


class FetchedOffset(NamedTuple):
    """What OffsetFetch responds for a partition; without a committed offset it is all defaults, and no error."""

    offset: int = -1
    leader_epoch: int = -1
    metadata: str = ""
    error: ErrorCode = ErrorCode.NONE


class DeleteOffsetsResult(NamedTuple):
    error: ErrorCode
    partitions: Mapping[TopicPartition, ErrorCode]
