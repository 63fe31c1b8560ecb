"""Reads that know where the last one ended; how many bytes there are to read, as far as positions are known."""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from ottla.model import ZERO_UUID
from ottla.replication.fetch_reader import (
    ENOUGH_BYTES,
    SMALL_BYTES_MAX,
    FetchEntry,
    FetchParams,
    FetchReader,
    bytes_between,
    close_reads,
)
from ottla.replication.partition import Partition
from ottla.storage.log.log_results import LogOffset
from ottla.storage.segment.segment import Segment
from support.loops import on_loop
from support.replicas import Replicas, replicas_in


@pytest.mark.parametrize(
    ("start", "end", "size"),
    [
        (LogOffset(5, 0, 500), LogOffset(9, 0, 900), 400),
        (LogOffset(9, 0, 900), LogOffset(9, 0, 900), 0),
        (LogOffset(9, 0, 900), LogOffset(5, 0, 500), 0),
        (LogOffset(5, 0, 500), LogOffset(9, 7, 200), ENOUGH_BYTES),
    ],
)
def test_bytes_are_those_between_two_positions_of_a_segment(start: LogOffset, end: LogOffset, size: int) -> None:
    assert bytes_between(start, end) == size


def test_offsets_whose_positions_are_not_known_are_never_taken_for_one_place() -> None:
    assert bytes_between(LogOffset(100), LogOffset(110)) == ENOUGH_BYTES
    assert bytes_between(LogOffset(100), LogOffset(100)) == 0


def entry_at(offset: int, max_bytes: int = 1 << 20) -> FetchEntry:
    entry = FetchEntry("t", ZERO_UUID, 0)
    entry.fetch_offset, entry.max_bytes = offset, max_bytes
    return entry


def read_again(replicas: Replicas, happens: Callable[[Partition], None], offset: int = 0) -> tuple[bytes, bytes]:
    """What a read at the end of the log finds when it is repeated, and what one finds that knows nothing."""
    partition = replicas.manager.partition("t", 0)
    reader, params = FetchReader(replicas.manager), FetchParams(-1, 0, 1, 1 << 20, 0)
    entry = entry_at(offset)
    assert reader.read([entry], params).total_bytes == 0
    happens(partition)
    found = []
    for each in (entry, entry_at(offset)):
        result = reader.read([each], params)
        assert result.total_bytes == each.read_bytes
        records = result.reads[0][1].records
        found.append(bytes(records) if isinstance(records, bytes) else records.read(0, len(records)))
        close_reads(result.reads)
    return found[0], found[1]


@pytest.mark.parametrize("size", [1, SMALL_BYTES_MAX])
@on_loop
async def test_a_read_that_knows_its_place_finds_what_others_find(tmp_path: Path, size: int) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead()
        known, looked_up = read_again(replicas, lambda partition: replicas.append(partition, bytes(size)) and None)
        assert known == looked_up != b""


@on_loop
async def test_few_bytes_at_a_known_place_are_read_without_an_index(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        reader, params, entry = FetchReader(replicas.manager), FetchParams(-1, 0, 1, 1 << 20, 0), entry_at(0)
        reader.read([entry], params)
        replicas.append(partition)
        with patch.object(Segment, "find_position", side_effect=AssertionError("looked up")):
            [(_, read)] = reader.read([entry], params).reads
        assert isinstance(read.records, bytes)
        assert read.is_plain


@on_loop
async def test_a_place_in_a_log_that_was_cut_and_written_anew_is_not_believed(tmp_path: Path) -> None:
    """The records that stood before it are others now, and longer."""
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.append(partition)

        def become_another(partition: Partition) -> None:
            replicas.follow(2, 1)
            replicas.manager.truncate(partition, 0)
            replicas.lead(epoch=2)
            for value in (b"longer than before", b"new"):
                replicas.append(partition, value)

        known, looked_up = read_again(replicas, become_another, offset=1)
        assert known == looked_up
        assert b"new" in known
        assert b"longer" not in known
