"""The parts of Kafka's texts that come from Java: names and messages of exceptions, log lines, hash order."""

import struct
import time
from collections.abc import Iterable

from ottla.errors import ErrorCode, KafkaError

_PACKAGE = "org.apache.kafka.common.errors."

# Where the class in Java is not called as the error is.
_NAMES = {
    "TopicAlreadyExistsError": "TopicExistsException",
    "UnknownServerError": "UnknownServerException",
    "CorruptMessageError": "CorruptRecordException",
    "MessageTooLargeError": "RecordTooLargeException",
    "InvalidConfigError": "InvalidConfigurationException",
    "RequestTimedOutError": "TimeoutException",
    "ClientTimeoutError": "TimeoutException",
    "NoBrokerError": "TimeoutException",
    "TopicAuthorizationFailedError": "TopicAuthorizationException",
    "GroupAuthorizationFailedError": "GroupAuthorizationException",
    "ClusterAuthorizationFailedError": "ClusterAuthorizationException",
    "CoordinatorLoadInProgressError": "CoordinatorLoadInProgressException",
    "NonEmptyGroupError": "GroupNotEmptyException",
}

# What a client of Kafka's says where the broker gave no words of its own.
_MESSAGES = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
    ErrorCode.UNKNOWN_SERVER_ERROR: "The server experienced an unexpected error when processing the request.",
    ErrorCode.OFFSET_OUT_OF_RANGE: "The requested offset is not within the range of offsets maintained by the server.",
    ErrorCode.GROUP_ID_NOT_FOUND: "The group id does not exist.",
    ErrorCode.NON_EMPTY_GROUP: "The group is not empty.",
    ErrorCode.UNKNOWN_MEMBER_ID: "The coordinator is not aware of this member.",
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: (
        "Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it."
    ),
    ErrorCode.ELECTION_NOT_NEEDED: "Leader election not needed for topic partition.",
    ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE: "The preferred leader was not available.",
    ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE: "Eligible topic partition leaders are not available.",
    ErrorCode.INVALID_TOPIC_EXCEPTION: "The request attempted to perform an operation on an invalid topic.",
    ErrorCode.POLICY_VIOLATION: "Request parameters do not satisfy the configured policy.",
    ErrorCode.INVALID_GROUP_ID: "The configured groupId is invalid.",
    ErrorCode.UNSUPPORTED_VERSION: "The version of API is not supported.",
}  # fmt: skip


def exception_name(error: KafkaError) -> str:
    """The full name of the class that Kafka's Java clients raise."""
    name = type(error).__name__
    return _PACKAGE + _NAMES.get(name, name.removesuffix("Error") + "Exception")


def exception_text(error: KafkaError) -> str:
    """What its getMessage() says."""
    return error.broker_message or _MESSAGES.get(error.code) or str(error)


def log_line(level: str, message: str, logger: str) -> str:
    """A line as log4j writes it in the tools."""
    now = time.time()
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now)) + f",{int(now * 1000) % 1000:03d}"
    return f"[{stamp}] {level} {message} ({logger})"


def hash_map_order(names: Iterable[str]) -> list[str]:
    """The names in the order in which a Java HashMap that they were put into one by one gives them."""
    ordered = list(names)
    capacity = 16
    while len(ordered) > capacity * 3 // 4:
        capacity *= 2
    return sorted(ordered, key=lambda name: _bucket(name, capacity))


def _bucket(name: str, capacity: int) -> int:
    code = 0
    for unit in struct.unpack(f"<{len(name.encode('utf-16-le')) // 2}H", name.encode("utf-16-le")):
        code = (31 * code + unit) & 0xFFFFFFFF
    return (code ^ code >> 16) & (capacity - 1)


def boolean(value: bool) -> str:
    return "true" if value else "false"
