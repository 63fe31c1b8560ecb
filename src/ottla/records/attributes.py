"""The attribute bits of a batch (v2, 16 bits) and of a message (v0/v1, the low 8 of the same bits).

BIT   MEANING
0-2   compression codec: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd (v2 only)
3     timestamp type: 0 CreateTime, 1 LogAppendTime
4     transactional (v2)
5     control batch (v2)
6     base_timestamp holds the delete horizon (v2, KIP-534)
7-15  unused, zero
"""

from enum import IntEnum

from ottla.errors.kafka import UnsupportedCompressionTypeError

COMPRESSION_MASK = 0x07
TIMESTAMP_TYPE_MASK = 0x08
TRANSACTIONAL_MASK = 0x10
CONTROL_MASK = 0x20
DELETE_HORIZON_MASK = 0x40

NO_TIMESTAMP = -1
NO_PRODUCER_ID = -1
NO_PRODUCER_EPOCH = -1
NO_SEQUENCE = -1
NO_LEADER_EPOCH = -1

SEQUENCE_MAX = 2**31 - 1


class Codec(IntEnum):
    """A compression codec by its number on the wire; the lower-case name is the one in configuration."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4

    @classmethod
    def of(cls, attributes: int) -> "Codec":
        """The codec of a batch. Raises UnsupportedCompressionTypeError for the numbers 5 to 7."""
        number = attributes & COMPRESSION_MASK
        if number > cls.ZSTD:
            raise UnsupportedCompressionTypeError(f"Unknown compression type id: {number}")
        return _CODECS[number]

    @classmethod
    def named(cls, name: str) -> "Codec":
        """The codec of a configuration value: none (or uncompressed), gzip, snappy, lz4, zstd."""
        if name == "uncompressed":
            return cls.NONE
        return cls[name.upper()]


_CODECS = tuple(Codec)


class TimestampType(IntEnum):
    CREATE_TIME = 0
    LOG_APPEND_TIME = 1


def next_sequence(sequence: int, increment: int) -> int:
    """The sequence number `increment` records later: after 2147483647 comes 0."""
    return (sequence + increment) & SEQUENCE_MAX
