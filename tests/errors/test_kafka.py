"""Every protocol error code has one exception class, and the code finds it again."""

import pytest

from ottla.errors import ErrorCode, error_for_code


@pytest.mark.parametrize("code", [code for code in ErrorCode if code != ErrorCode.NONE])
def test_every_code_has_its_class(code: ErrorCode) -> None:
    assert error_for_code(code).code == code


def test_unknown_code_is_an_unknown_server_error_that_names_it() -> None:
    error = error_for_code(9999)
    assert error.code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert "9999" in str(error)


RETRIABLE = """
CORRUPT_MESSAGE UNKNOWN_TOPIC_OR_PARTITION LEADER_NOT_AVAILABLE NOT_LEADER_OR_FOLLOWER REQUEST_TIMED_OUT
REPLICA_NOT_AVAILABLE NETWORK_EXCEPTION COORDINATOR_LOAD_IN_PROGRESS COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR
NOT_ENOUGH_REPLICAS NOT_ENOUGH_REPLICAS_AFTER_APPEND NOT_CONTROLLER CONCURRENT_TRANSACTIONS KAFKA_STORAGE_ERROR
FETCH_SESSION_ID_NOT_FOUND INVALID_FETCH_SESSION_EPOCH LISTENER_NOT_FOUND FENCED_LEADER_EPOCH UNKNOWN_LEADER_EPOCH
OFFSET_NOT_AVAILABLE PREFERRED_LEADER_NOT_AVAILABLE ELIGIBLE_LEADERS_NOT_AVAILABLE ELECTION_NOT_NEEDED
UNSTABLE_OFFSET_COMMIT THROTTLING_QUOTA_EXCEEDED UNKNOWN_TOPIC_ID INCONSISTENT_TOPIC_ID FETCH_SESSION_TOPIC_ID_ERROR
SHARE_SESSION_NOT_FOUND INVALID_SHARE_SESSION_EPOCH SHARE_SESSION_LIMIT_REACHED
"""
REFRESHES_METADATA = """
UNKNOWN_TOPIC_OR_PARTITION LEADER_NOT_AVAILABLE NOT_LEADER_OR_FOLLOWER REPLICA_NOT_AVAILABLE NETWORK_EXCEPTION
KAFKA_STORAGE_ERROR LISTENER_NOT_FOUND FENCED_LEADER_EPOCH PREFERRED_LEADER_NOT_AVAILABLE
ELIGIBLE_LEADERS_NOT_AVAILABLE ELECTION_NOT_NEEDED UNKNOWN_TOPIC_ID INCONSISTENT_TOPIC_ID
"""


def test_what_may_be_retried_is_what_kafka_retries() -> None:
    errors = [error_for_code(code) for code in ErrorCode if code != ErrorCode.NONE]
    assert {error.code.name for error in errors if error.retriable} == set(RETRIABLE.split())
    assert {error.code.name for error in errors if error.refreshes_metadata} == set(REFRESHES_METADATA.split())
