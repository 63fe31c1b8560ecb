"""What the log's errors mean to the client of a coordinator.

the log says                                     a client is told
UNKNOWN_TOPIC_OR_PARTITION, NOT_ENOUGH_...       COORDINATOR_NOT_AVAILABLE
NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR      NOT_COORDINATOR
too large                                        by each coordinator
"""

from ottla.errors import ErrorCode

_MEANING = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND: ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
    ErrorCode.KAFKA_STORAGE_ERROR: ErrorCode.NOT_COORDINATOR,
}
_TOO_LARGE = frozenset({ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.INVALID_FETCH_SIZE})


def coordinator_error(error: ErrorCode, *, too_large: ErrorCode) -> ErrorCode:
    """`too_large` is what a client is told whose records the log does not take for their size."""
    return too_large if error in _TOO_LARGE else _MEANING.get(error, error)
