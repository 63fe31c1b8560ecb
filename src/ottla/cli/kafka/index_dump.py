"""The indexes and producer snapshots of a segment as `kafka-dump-log` prints them; indexes are compared with the log.

A preallocated index ends in zeros: the first entry that points to the base offset again is the end. What does not match
is collected and told at the end of the run, file by file, in the order in which Kafka's tool tells it.
"""

import os
import sys
from collections.abc import Iterator
from struct import Struct

from ottla.cli.segment_reading import SegmentBatch, read_segment
from ottla.errors.tree import OperatorError
from ottla.storage.producers.producer_snapshot import decode_snapshot

_OFFSET_ENTRY = Struct(">ii")
_TIME_ENTRY = Struct(">qi")
_TXN_ENTRY = Struct(">hqqqq")


class Mismatches:
    """By kind of finding and file: pairs of numbers."""

    def __init__(self) -> None:
        self._index: dict[str, list[tuple[int, int]]] = {}
        self._time: dict[str, list[tuple[int, int]]] = {}
        self._missing: dict[str, list[tuple[int, int]]] = {}
        self._gaps: dict[str, list[tuple[int, int]]] = {}

    def wrong_offset(self, path: str, indexed: int, found: int) -> None:
        self._index.setdefault(path, []).append((indexed, found))

    def wrong_timestamp(self, path: str, indexed: int, found: int) -> None:
        self._time.setdefault(path, []).append((indexed, found))

    def offset_not_found(self, path: str, indexed: int, found: int) -> None:
        self._missing.setdefault(path, []).append((indexed, found))

    def not_consecutive(self, path: str, first: int, second: int) -> None:
        self._gaps.setdefault(path, []).append((first, second))

    def report(self) -> None:
        """To standard error, as Kafka does it."""
        for line in self._lines():
            print(line, file=sys.stderr)

    def _lines(self) -> Iterator[str]:
        for path, found in self._index.items():
            yield f"Mismatches in :{path}"
            yield from (f"  Index offset: {indexed}, log offset: {logged}" for indexed, logged in found)
        for path, found in self._time.items():
            yield f"Found timestamp mismatch in :{path}"
            yield from (f"  Index timestamp: {indexed}, log timestamp: {logged}" for indexed, logged in found)
        for found in self._missing.values():
            yield "The following indexed offsets are not found in the log."
            yield from (f"Indexed offset: {indexed}, found log offset: {logged}" for indexed, logged in found)
        for path, found in self._gaps.items():
            yield f"Non-consecutive offsets in {path}"
            yield from (f"  {first} is followed by {second}" for first, second in found)


def dump_index(path: str, sanity_only: bool, verify_only: bool, mismatches: Mismatches) -> None:
    base = _base_offset(path)
    entries = _entries(path, _OFFSET_ENTRY)
    if sanity_only:
        print(f"{path} passed sanity check.")
        return
    batches = {batch.position: batch for batch in _batches(path)}
    for number, (relative, position) in enumerate(entries):
        if relative == 0 and number > 0:
            return
        batch = batches.get(position)
        if batch is not None and batch.header.last_offset != base + relative:
            mismatches.wrong_offset(path, base + relative, batch.header.last_offset)
        if not verify_only:
            print(f"offset: {base + relative} position: {position}")


def dump_time_index(path: str, sanity_only: bool, verify_only: bool, mismatches: Mismatches) -> None:
    base = _base_offset(path)
    entries = _entries(path, _TIME_ENTRY)
    if sanity_only:
        print(f"{path} passed sanity check.")
        return
    batches = _batches(path)
    for number, (timestamp, relative) in enumerate(entries):
        if relative == 0 and number > 0:
            return
        offset = base + relative
        batch = next((one for one in batches if one.header.last_offset >= offset), None)
        if batch is None or batch.header.last_offset != offset:
            mismatches.offset_not_found(path, offset, -1 if batch is None else batch.header.last_offset)
        else:
            latest = max((record.timestamp for record in batch.records()), default=-1)
            if latest != timestamp:
                mismatches.wrong_timestamp(path, timestamp, latest)
        if not verify_only:
            print(f"timestamp: {timestamp} offset: {offset}")


def dump_txn_index(path: str) -> None:
    for version, producer_id, first, last, stable in _entries(path, _TXN_ENTRY):
        print(
            f"version: {version} producerId: {producer_id} firstOffset: {first} lastOffset: {last} "
            f"lastStableOffset: {stable}"
        )


def _base_offset(path: str) -> int:
    return int(os.path.basename(path).split(".")[0])


def _entries(path: str, entry: Struct) -> list[tuple[int, ...]]:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    return list(entry.iter_unpack(data[: len(data) // entry.size * entry.size]))


def _batches(path: str) -> list[SegmentBatch]:
    """Those of the log beside the index."""
    with read_segment(os.path.splitext(path)[0] + ".log") as reading:
        return list(reading)


def dump_snapshot(path: str) -> None:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    for producer_id, entry in decode_snapshot(data):
        first = entry.current_txn_first_offset
        line = (
            f"producerId: {producer_id} producerEpoch: {entry.epoch} coordinatorEpoch: {entry.coordinator_epoch} "
            f"currentTxnFirstOffset: {'OptionalLong.empty' if first < 0 else f'OptionalLong[{first}]'} "
            f"lastTimestamp: {entry.last_timestamp} "
        )
        if entry.last_offset >= 0:
            line += (
                f"firstSequence: {entry.last_sequence - entry.offset_delta} lastSequence: {entry.last_sequence} "
                f"lastOffset: {entry.last_offset} offsetDelta: {entry.offset_delta} timestamp: {entry.last_timestamp}"
            )
        print(line)
