"""The recovery scan against the batch-by-batch way of doing it, and against torn and damaged logs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors.kafka import CorruptMessageError
from ottla.records.batch import check_crc, iterate_batches, rewrite_crc, stamp
from ottla.records.record import Record, encode_batch
from ottla.records.scan import ScanEnd, scan_batches

FIELDS = (
    "base_offset", "last_offset", "size_bytes", "base_timestamp", "max_timestamp", "producer_id", "producer_epoch",
    "base_sequence", "attributes", "records_count",
)  # fmt: skip


def log_of(batches: int, *, records: int = 2, base_offset: int = 0) -> bytes:
    parts = []
    for index in range(batches):
        first = base_offset + index * records
        rows = [Record(first + row, 1000 * index - row, b"k", b"v" * (7 * row + index)) for row in range(records)]
        parts.append(encode_batch(rows, leader_epoch=index, producer_id=index - 1, producer_epoch=3, base_sequence=9))
    return b"".join(parts)


def test_scan_gives_the_header_fields_of_every_batch() -> None:
    log = log_of(20)
    scan = scan_batches(log)
    expected = list(iterate_batches(log))
    assert list(scan.position) == [position for position, _ in expected]
    for field in FIELDS:
        assert list(getattr(scan, field)) == [getattr(header, field) for _, header in expected]
    assert list(scan.leader_epoch) == list(range(20))
    assert scan.is_whole
    assert scan.end_position == len(log)


def test_scan_starts_where_it_is_told() -> None:
    log = log_of(3)
    second = scan_batches(log).position[1]
    assert list(scan_batches(log, second).position) == list(scan_batches(log).position[1:])


@given(st.data())
def test_scan_of_a_torn_log_ends_before_the_torn_batch(data: st.DataObject) -> None:
    log = log_of(4)
    cut = data.draw(st.integers(0, len(log)))
    whole = [position for position in (*scan_batches(log).position, len(log)) if position <= cut]
    scan = scan_batches(log[:cut])
    assert scan.end_position == whole[-1]
    assert scan.batches_count == len(whole) - 1
    assert scan.is_whole == (cut == whole[-1])


@given(st.data())
def test_scan_stops_at_the_batch_with_a_flipped_bit(data: st.DataObject) -> None:
    log = bytearray(log_of(4))
    positions = list(scan_batches(log).position)
    at = data.draw(st.integers(0, len(log) - 1))
    log[at] ^= 1 << data.draw(st.integers(0, 7))
    first = max(position for position in positions if position <= at)
    scan = scan_batches(log)
    if at - first in range(12, 16) or scan.end_position > first:
        # The leader epoch is not covered by the CRC; a base offset may change into another one that still rises.
        assert at - first < 16
    else:
        assert scan.end_position == first
        assert not scan.is_whole


@given(st.binary(max_size=300), st.integers(0, 300))
def test_scan_of_any_bytes_agrees_with_the_slow_way(data: bytes, start: int) -> None:
    start = min(start, len(data))
    good = 0
    try:
        for position, header in iterate_batches(data, start):
            check_crc(data, position, header)
            good += 1
    except CorruptMessageError:
        pass
    assert scan_batches(data, start).batches_count <= good


@pytest.mark.parametrize(
    ("tail", "end"),
    [(b"\x00", ScanEnd.SHORT), (bytes(60), ScanEnd.MAGIC), (b"\xff" * 100, ScanEnd.MAGIC)],
)
def test_nonsense_after_the_last_batch_ends_the_scan_with_its_reason(tail: bytes, end: ScanEnd) -> None:
    log = log_of(2)
    scan = scan_batches(log + tail)
    assert (scan.end, scan.end_position) == (end, len(log))
    assert str(len(log)) in scan.reason


def test_batch_length_below_a_header_ends_the_scan() -> None:
    log = bytearray(log_of(1))
    log[8:12] = (48).to_bytes(4, "big")
    assert scan_batches(log).end is ScanEnd.LENGTH


def test_offsets_that_do_not_rise_end_the_scan() -> None:
    log = bytearray(log_of(3))
    third = scan_batches(log).position[2]
    stamp(log, third, 3, 0)
    assert scan_batches(log).end is ScanEnd.OFFSETS
    assert scan_batches(log).end_position == third
    assert scan_batches(log_of(1, base_offset=5), offset_min=6).end is ScanEnd.OFFSETS


def test_negative_or_overflowing_offsets_end_the_scan() -> None:
    for base_offset, last_offset_delta in ((-1, 0), (2**63 - 1, 1), (0, -1)):
        log = bytearray(log_of(1))
        stamp(log, 0, base_offset, 0)
        log[23:27] = last_offset_delta.to_bytes(4, "big", signed=True)
        rewrite_crc(log, 0)
        assert scan_batches(log, offset_min=-(2**63)).end is ScanEnd.OFFSETS
