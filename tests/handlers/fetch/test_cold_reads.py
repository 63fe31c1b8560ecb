"""Who reads in order finds the next megabytes in the page cache; nobody waits for ever, and nothing stays pinned."""

import asyncio
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.disk.file_slice import FileSlice
from ottla.disk.log_file import LogFile
from ottla.disk.system_disk import RWF_NOWAIT, SystemDisk
from ottla.errors import LogDirError, OttlaError
from ottla.handlers.fetch.cold_reads import AHEAD_BYTES, CHUNK_BYTES, STREAMS_MAX, ColdReads
from support.disks import os_error

SIZE = 4 * AHEAD_BYTES


class DiskWithPageCache(SystemDisk):
    """Knows which bytes were read: a probe anywhere else says that it would have to wait."""

    def __init__(self) -> None:
        self.cached: list[tuple[int, int]] = []
        self.probes = 0
        self.error: OSError | None = None

    def preadv(  # type: ignore[override]
        self, descriptor: int, buffers: list[bytearray | memoryview], position: int, flags: int, /
    ) -> int:
        if flags == RWF_NOWAIT:
            self.probes += 1
            if not any(start <= position < end for start, end in self.cached):
                raise BlockingIOError
        return os.preadv(descriptor, buffers, position, 0)

    def bring_in(self, descriptor: int, position: int, count: int, /) -> int:
        if self.error is not None:
            raise self.error
        self.cached.append((position, position + count))
        return super().bring_in(descriptor, position, count)

    @property
    def cached_bytes(self) -> int:
        return sum(end - start for start, end in self.cached)


@pytest.fixture
def disk() -> DiskWithPageCache:
    return DiskWithPageCache()


@pytest.fixture
def file(tmp_path: Path, disk: DiskWithPageCache) -> LogFile:
    file = LogFile.create(f"{tmp_path}/a.log", LogDirectory(str(tmp_path), disk))
    file.extend_sparse(SIZE)
    file.size = SIZE
    return file


class Reader:
    """A loop, the cold reads on it, and a consumer that sends at once what it gets."""

    def __init__(self, file: LogFile) -> None:
        self.loop = asyncio.new_event_loop()
        self.cold_reads = ColdReads(self.loop)
        self.file = file

    def ask(self, position: int, size: int = CHUNK_BYTES) -> asyncio.Future[OttlaError | None] | None:
        """None if the range can be sent at once."""
        piece, future = FileSlice(self.file, position, size), self.loop.create_future()
        if self.cold_reads.is_ready(piece):
            piece.close()
            return None
        future.add_done_callback(lambda _future: piece.close())
        self.cold_reads.bring_in(piece, future.set_result)
        return future

    def read(self, position: int, size: int = CHUNK_BYTES) -> bool:
        """Whether it had to be waited for."""
        future = self.ask(position, size)
        if future is not None:
            self.loop.run_until_complete(asyncio.wait_for(future, 10))
        return future is not None

    def rest(self) -> None:
        """Until the thread has read all that it was asked for."""
        while self.file.pins:
            self.loop.run_until_complete(asyncio.sleep(0.001))

    def close(self) -> None:
        self.loop.run_until_complete(asyncio.to_thread(self.cold_reads.close))
        self.rest()
        self.loop.close()


@pytest.fixture
def reader(file: LogFile) -> Iterator[Reader]:
    reader = Reader(file)
    yield reader
    reader.close()


def test_first_cold_read_is_waited_for_and_brings_in_no_more_than_it_needs(
    reader: Reader, disk: DiskWithPageCache
) -> None:
    assert reader.read(1000, 5000)
    reader.rest()
    assert disk.cached == [(1000, 6000)]


def test_what_is_in_the_page_cache_is_sent_at_once_and_starts_nothing(reader: Reader, disk: DiskWithPageCache) -> None:
    disk.cached.append((0, 2 * CHUNK_BYTES))
    assert not reader.read(0)
    assert not reader.read(CHUNK_BYTES)
    assert disk.cached_bytes == 2 * CHUNK_BYTES


def test_who_reads_in_order_waits_twice_and_then_no_more(reader: Reader, disk: DiskWithPageCache) -> None:
    waited = []
    for position in range(0, SIZE, CHUNK_BYTES):
        waited.append(reader.read(position))
        reader.rest()
        assert disk.cached_bytes <= position + CHUNK_BYTES + AHEAD_BYTES
    assert waited == [True, True] + [False] * (SIZE // CHUNK_BYTES - 2)
    assert disk.cached_bytes == SIZE  # every byte once, and none past the end


def test_who_is_faster_than_the_disk_waits_and_is_not_probed(reader: Reader, disk: DiskWithPageCache) -> None:
    reader.read(0)
    probes = disk.probes
    order: list[int] = []
    futures = []
    for position in range(CHUNK_BYTES, AHEAD_BYTES, CHUNK_BYTES):
        future = reader.ask(position)
        assert future is not None
        future.add_done_callback(lambda _future, position=position: order.append(position))
        futures.append(future)
    reader.loop.run_until_complete(asyncio.wait_for(asyncio.gather(*futures), 10))
    assert order == list(range(CHUNK_BYTES, AHEAD_BYTES, CHUNK_BYTES))
    assert disk.probes == probes


def test_small_reads_in_order_do_not_ask_the_thread_each_time(reader: Reader, disk: DiskWithPageCache) -> None:
    for position in range(0, AHEAD_BYTES, 10_000):
        reader.read(position, 10_000)
        reader.rest()
    assert len(disk.cached) <= 2 * AHEAD_BYTES // CHUNK_BYTES + 2


def test_two_readers_of_one_file_both_read_in_order(reader: Reader) -> None:
    waited = []
    for step in range(5):
        for start in (0, SIZE // 2):
            waited.append(reader.read(start + step * CHUNK_BYTES))
            reader.rest()
    assert waited == [True] * 4 + [False] * 6


def test_what_has_left_the_page_cache_again_is_read_again(reader: Reader, disk: DiskWithPageCache) -> None:
    reader.read(0)
    reader.read(CHUNK_BYTES)
    reader.rest()
    disk.cached.clear()
    assert reader.read(2 * CHUNK_BYTES)
    reader.rest()
    assert not reader.read(3 * CHUNK_BYTES)


def test_disk_error_is_told_to_all_who_wait_in_that_stream_and_to_nobody_else(
    reader: Reader, disk: DiskWithPageCache
) -> None:
    reader.read(0)
    disk.error = os_error(errno.EIO)
    futures = [reader.ask(CHUNK_BYTES), reader.ask(2 * CHUNK_BYTES, 3 * CHUNK_BYTES)]
    waiting = [future for future in futures if future is not None]
    assert len(waiting) == 2
    errors = reader.loop.run_until_complete(asyncio.wait_for(asyncio.gather(*waiting), 10))
    assert isinstance(errors[0], LogDirError)
    assert errors[1] is errors[0]
    reader.rest()
    disk.error = None
    other = reader.ask(SIZE // 2)
    assert other is not None
    assert reader.loop.run_until_complete(asyncio.wait_for(other, 10)) is None


def test_log_that_was_cut_under_a_read_keeps_nobody_waiting(reader: Reader) -> None:
    reader.read(0)
    piece, future = FileSlice(reader.file, CHUNK_BYTES, CHUNK_BYTES), reader.loop.create_future()
    reader.file.truncate(CHUNK_BYTES + 100)
    assert not reader.cold_reads.is_ready(piece)
    reader.cold_reads.bring_in(piece, future.set_result)
    reader.loop.run_until_complete(asyncio.wait_for(future, 10))
    piece.close()


def test_readers_that_went_away_are_forgotten(reader: Reader) -> None:
    for position in range(STREAMS_MAX + 50):
        reader.read(position * 10, 1)
    assert len(reader.cold_reads._streams) == STREAMS_MAX


def test_stop_does_not_wait_for_what_was_only_read_ahead(reader: Reader, disk: DiskWithPageCache) -> None:
    reader.read(0)
    disk.cached.clear()
    reader.cold_reads._readers[reader.file.directory.path]._closing = True  # as `close` says first
    future = reader.ask(CHUNK_BYTES)
    assert future is not None
    reader.loop.run_until_complete(asyncio.wait_for(future, 10))
    assert disk.cached == []
