"""A group's records as a batch, and what the log's errors mean to the members.

the log says                                     a member is told              and a commit
UNKNOWN_TOPIC_OR_PARTITION, NOT_ENOUGH_...       COORDINATOR_NOT_AVAILABLE     the same
NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR      NOT_COORDINATOR               the same
REQUEST_TIMED_OUT                                REBALANCE_IN_PROGRESS         REQUEST_TIMED_OUT
too large                                        UNKNOWN_SERVER_ERROR          INVALID_COMMIT_OFFSET_SIZE
"""

from collections.abc import Sequence

from ottla.coordinators.group.step import KeyValue
from ottla.errors import ErrorCode
from ottla.records.attributes import Codec
from ottla.records.record import Record, encode_batch

_MEANING = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
}
_TOO_LARGE = frozenset({ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.INVALID_FETCH_SIZE})


def encode_records(records: Sequence[KeyValue], wall_ms: int, compression: Codec) -> bytearray:
    rows = [Record(offset, wall_ms, key, value) for offset, (key, value) in enumerate(records)]
    return bytearray(encode_batch(rows, compression=compression))


def commit_error(error: ErrorCode) -> ErrorCode:
    if error in _TOO_LARGE:
        return ErrorCode.INVALID_COMMIT_OFFSET_SIZE
    return _MEANING.get(error, error)


def member_error(error: ErrorCode) -> ErrorCode:
    if error in _TOO_LARGE:
        return ErrorCode.UNKNOWN_SERVER_ERROR
    if error is ErrorCode.REQUEST_TIMED_OUT:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return _MEANING.get(error, error)
