"""What can go wrong: `tree` says whose fault, `codes` are the protocol's numbers, `kafka` one class per code."""

from ottla.errors.codes import ErrorCode
from ottla.errors.kafka import InvalidMetadataError, KafkaError, RetriableError, error_for_code
from ottla.errors.tree import (
    ConfigError,
    DecodeError,
    FrameError,
    LogDirError,
    OperatorError,
    OttlaError,
    PeerError,
)

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
