"""The batches of a partition as a broker gives them out, byte for byte."""

import struct

from ottla.errors.kafka import CorruptMessageError
from ottla.records.batch import LOG_OVERHEAD, check_crc, decode_header, iterate_batches
from support.raw_kafka import RawKafka
from support.raw_requests import BIG, fetch_partition, fetch_request, list_offsets

Batches = dict[int, bytes]
"""By base offset."""

_FETCH_VERSION = 12
_LATEST = -1


def fetch_bytes(raw: RawKafka, topic: str, partition: int, offset: int, max_bytes: int = BIG) -> tuple[int, bytes]:
    """Error code and records."""
    request = fetch_request(topic, [fetch_partition(offset, partition, max_bytes)])
    answer = raw.ask(request, _FETCH_VERSION).responses[0].partitions[0]
    return answer.error_code, bytes(answer.records or b"")


def batch_at(raw: RawKafka, topic: str, partition: int, offset: int) -> tuple[int, bytes]:
    """Error code and the first batch that a reader at this offset gets, whole or not."""
    error, data = fetch_bytes(raw, topic, partition, offset, 1)
    return error, first_batch(data)


def first_batch(data: bytes) -> bytes:
    """As its own length says; everything where that cannot be."""
    (length,) = struct.unpack(">i", data[8:12].rjust(4, b"\xff"))
    return data[: LOG_OVERHEAD + length] if length > 0 else data


def looks_right(batch: bytes) -> bool:
    """Whether a reader would take this for a sound batch."""
    try:
        (_,) = iterate_batches(batch)
        check_crc(batch, 0, decode_header(batch))
    except (CorruptMessageError, ValueError):
        return False
    return True


def split(data: bytes) -> Batches:
    return {
        header.base_offset: data[position : position + header.size_bytes]
        for position, header in iterate_batches(data, partial_tail=True)
    }


def end_offset(raw: RawKafka, topic: str, partition: int = 0) -> int:
    offset: int = list_offsets(raw, topic, _LATEST, partition=partition).offset
    return offset


def read_batches(raw: RawKafka, topic: str, partition: int = 0) -> Batches:
    """All there are."""
    end, offset, found = end_offset(raw, topic, partition), 0, Batches()
    while offset < end:
        error, data = fetch_bytes(raw, topic, partition, offset)
        assert error == 0, f"error {error} at offset {offset} of {topic}-{partition}"
        headers = [header for _, header in iterate_batches(data, partial_tail=True)]
        assert headers, f"nothing at offset {offset} of {end} of {topic}-{partition}"
        found |= split(data)
        offset = headers[-1].next_offset
    return found
