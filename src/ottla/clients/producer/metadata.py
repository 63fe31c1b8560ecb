"""What comes back when records were written."""

from typing import NamedTuple


class RecordMetadata(NamedTuple):
    """Where a record was written. With acks=0 nobody says, and the offset is -1."""

    topic: str
    partition: int
    offset: int
    timestamp: int


class BatchMetadata(NamedTuple):
    """Where the records of one batch were written: offsets `base_offset` to `base_offset + records_count - 1`."""

    topic: str
    partition: int
    base_offset: int
    records_count: int


class ProducerRecord(NamedTuple):
    """A record on its way in, as interceptors and partitioners see it: key and value are bytes by then."""

    topic: str
    value: bytes | None
    key: bytes | None = None
    partition: int | None = None
    timestamp: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
