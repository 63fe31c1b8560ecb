"""What a client raises besides the errors in a broker's responses (`ottla.errors.kafka`).

KafkaError
  NetworkError                 (errors.kafka) the connection is gone; the request may have been carried out
    NoBrokerError              no broker of the cluster could be reached
  RequestTimedOutError         (errors.kafka)
    ClientTimeoutError         the time that the caller gave is over; also a TimeoutError
  BufferExhaustedError         buffer.memory is full, and max.block.ms or the policy says not to wait
  SerializationError           a serializer refused a key or value; also a ValueError
  LogTruncationError           records that were read are gone from the log, and auto.offset.reset=none
  NoOffsetForPartitionError    no committed offset, and auto.offset.reset=none
  InvalidRecordSizeError       a record over max.request.size
OttlaError
  ClientClosedError            the client was closed before
  IllegalStateError            a call that the client's state does not allow
"""

from collections.abc import Collection

from ottla.errors import ErrorCode, KafkaError, OttlaError, error_for_code
from ottla.errors.kafka import (
    InvalidRecordError,
    MessageTooLargeError,
    NetworkError,
    OffsetOutOfRangeError,
    RequestTimedOutError,
)
from ottla.model import TopicPartition


class NoBrokerError(NetworkError):
    """No broker of the cluster could be reached."""


class ClientTimeoutError(RequestTimedOutError, TimeoutError):
    """The time that the caller gave is over."""


class BufferExhaustedError(ClientTimeoutError):
    """`buffer.memory` is full of records that are not acknowledged yet."""


class SerializationError(InvalidRecordError, ValueError):
    """A serializer or deserializer refused a key or value."""


class InvalidRecordSizeError(MessageTooLargeError):
    """One record is larger than `max.request.size` or `buffer.memory`."""


class NoOffsetForPartitionError(OffsetOutOfRangeError):
    """No position to begin from: nothing was committed, or the offset is gone, and `auto.offset.reset` is none."""

    def __init__(self, partitions: Collection[TopicPartition]) -> None:
        names = ", ".join(str(partition) for partition in partitions)
        super().__init__(f"no offset to begin from and auto.offset.reset=none: {names}")
        self.partitions = frozenset(partitions)


class LogTruncationError(OffsetOutOfRangeError):
    """A new leader lacks records that were read (KIP-320), and `auto.offset.reset` is none: seek to go on."""

    def __init__(self, partition: TopicPartition, position: int, end_offset: int) -> None:
        where = f"differs from offset {end_offset} on" if end_offset >= 0 else "differs from an unknown offset on"
        super().__init__(f"{partition} was truncated: read up to {position}, the log {where}; seek to go on")
        self.partition = partition
        self.position = position
        self.end_offset = end_offset


class ClientClosedError(OttlaError):
    """The client was closed."""


class IllegalStateError(OttlaError):
    """A call that the client's state does not allow."""


def broker_error(code: int, what: str, message: str | None = None) -> KafkaError:
    """The exception for a code in a broker's response about `what`, in its words where it sent some."""
    name = ErrorCode(code).name if code in ErrorCode._value2member_map_ else f"error code {code}"
    error = error_for_code(code, f"{what}: {message or name}")
    error.broker_message = message
    return error
