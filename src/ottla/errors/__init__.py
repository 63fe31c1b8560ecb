"""What can go wrong, as exceptions.

tree   the exceptions by whose fault it is
codes  Kafka's error codes
kafka  one exception class per error code
"""

from ottla.errors.codes import ErrorCode
from ottla.errors.kafka import InvalidMetadataError, KafkaError, RetriableError, error_for_code
from ottla.errors.tree import ConfigError, DecodeError, FrameError, LogDirError, OperatorError, OttlaError, PeerError

__all__ = [
    "ConfigError",
    "DecodeError",
    "ErrorCode",
    "FrameError",
    "InvalidMetadataError",
    "KafkaError",
    "LogDirError",
    "OperatorError",
    "OttlaError",
    "PeerError",
    "RetriableError",
    "error_for_code",
]
