import errno
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.disk.file_slice import READ_AHEAD_WINDOW, FileSlice
from ottla.disk.log_file import LogFile
from ottla.disk.read_ahead import ReadAhead
from ottla.disk.sendable import Sendable
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError, OttlaError
from support.disks import FaultyDisk, os_error

CONTENT = bytes(range(256)) * 4096


@pytest.fixture
def file(directory: LogDirectory) -> LogFile:
    file = LogFile.create(f"{directory.path}/a.log", directory)
    file.append(CONTENT)
    return file


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    with ours, theirs:
        yield ours, theirs


def receive(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += sock.recv(count - len(data))
    return data


def test_a_slice_is_what_the_transport_can_send(file: LogFile) -> None:
    part = FileSlice(file, 10, 20)
    assert isinstance(part, Sendable)
    assert len(part) == 20
    assert part.read(0, 100) == CONTENT[10:30]
    assert part.read(5, 3) == CONTENT[15:18]
    part.close()


def test_sending_goes_on_where_it_was_left(file: LogFile, sockets: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = sockets
    part = FileSlice(file, 7, 1000)
    assert part.send_to(ours, 0, 300) == 300
    assert part.send_to(ours, 300, 1 << 20) == 700
    assert receive(theirs, 1000) == CONTENT[7:1007]
    part.close()


def test_a_full_socket_raises_what_the_loop_waits_on(
    file: LogFile, sockets: tuple[socket.socket, socket.socket]
) -> None:
    part = FileSlice(file, 0, len(CONTENT))
    sent = 0
    with pytest.raises(BlockingIOError):
        while True:
            sent += part.send_to(sockets[0], sent, len(CONTENT))
    assert 0 < sent < len(CONTENT)
    part.close()


def test_a_slice_outlives_the_deletion_of_its_file(
    file: LogFile, sockets: tuple[socket.socket, socket.socket], directory: LogDirectory
) -> None:
    part = FileSlice(file, 0, 500)
    path = file.path
    file.delete()
    assert not Path(path).exists()
    assert part.send_to(sockets[0], 0, 500) == 500
    assert receive(sockets[1], 500) == CONTENT[:500]
    part.close()
    assert len(directory.handles) == 0


def test_a_slice_whose_bytes_were_truncated_ends_the_connection(
    file: LogFile, sockets: tuple[socket.socket, socket.socket]
) -> None:
    part = FileSlice(file, 100, 50)
    file.truncate(100)
    with pytest.raises(ConnectionAbortedError):
        part.send_to(sockets[0], 0, 50)
    part.close()


@pytest.fixture
def failures(directory: LogDirectory) -> list[LogDirError]:
    """What whoever takes the directory offline is told."""
    told: list[LogDirError] = []
    directory.hand_over(directory.handles, told.append)
    return told


@pytest.mark.parametrize("number", [errno.EIO, errno.EUCLEAN, errno.EBADMSG])
def test_a_disk_error_while_sending_takes_the_directory_offline(
    file: LogFile,
    disk: FaultyDisk,
    sockets: tuple[socket.socket, socket.socket],
    failures: list[LogDirError],
    number: int,
) -> None:
    part = FileSlice(file, 0, 50)
    disk.faults["send_file"] = os_error(number)
    with pytest.raises(LogDirError) as raised:
        part.send_to(sockets[0], 0, 50)
    assert failures == [raised.value]
    assert file.path in str(raised.value)
    part.close()


def test_a_peer_that_is_gone_does_not_take_the_directory_offline(
    file: LogFile, disk: FaultyDisk, sockets: tuple[socket.socket, socket.socket], failures: list[LogDirError]
) -> None:
    part = FileSlice(file, 0, 50)
    disk.faults["send_file"] = os_error(errno.EPIPE)
    with pytest.raises(BrokenPipeError):
        part.send_to(sockets[0], 0, 50)
    file.truncate(0)
    del disk.faults["send_file"]
    with pytest.raises(ConnectionAbortedError):
        part.send_to(sockets[0], 0, 50)
    assert failures == []
    part.close()


def test_a_disk_error_while_reading_takes_the_directory_offline_and_a_lack_of_memory_does_not(
    file: LogFile, disk: FaultyDisk, failures: list[LogDirError]
) -> None:
    part = FileSlice(file, 0, 50)
    disk.faults["pread"] = os_error(errno.ENOMEM)
    with pytest.raises(KafkaStorageError):
        part.read(0, 50)
    assert failures == []
    disk.faults["pread"] = os_error(errno.EIO)
    with pytest.raises(LogDirError) as raised:
        part.read(0, 50)
    assert failures == [raised.value]
    assert file.path in str(raised.value)
    part.close()


def test_what_was_just_written_is_in_the_page_cache(file: LogFile) -> None:
    part = FileSlice(file, 0, len(CONTENT))
    assert part.is_cached()
    part.close()


def test_a_cold_range_is_seen_as_cold_and_warm_after_reading_ahead(file: LogFile) -> None:
    file.sync()
    os.posix_fadvise(file.descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    part = FileSlice(file, 0, len(CONTENT))
    if part.is_cached():
        pytest.skip("this file system does not drop pages")
    ahead, ready, errors = ReadAhead("test"), threading.Event(), list[OttlaError | None]()
    ahead.request(part, lambda error: (errors.append(error), ready.set()))
    assert ready.wait(10)
    assert errors == [None]
    assert part.is_cached()
    ahead.close()
    part.close()


def test_a_file_is_probed_and_read_from_the_front_to_the_back_and_not_beyond_the_slice(directory: LogDirectory) -> None:
    reads: list[tuple[int, int]] = []

    class WatchedDisk(FaultyDisk):
        def preadv(self, descriptor: int, buffers: list[bytearray | memoryview], position: int, flags: int, /) -> int:
            reads.append((position, len(buffers[0])))
            return os.preadv(descriptor, buffers, position, flags)

        def bring_in(self, descriptor: int, position: int, count: int, /) -> int:
            reads.append((position, count))
            return min(count, 200_000)

    directory.disk = WatchedDisk()
    file = LogFile.create(f"{directory.path}/a.log", directory)
    file.append(CONTENT)
    part = FileSlice(file, 1000, 300_000)
    assert part.is_cached()
    assert reads == [(1000, 1), (1000 + READ_AHEAD_WINDOW, 1), (1000 + 2 * READ_AHEAD_WINDOW, 1), (300_999, 1)]
    reads.clear()
    part.read_ahead()
    assert reads == [(1000, 300_000), (201_000, 100_000)]
    part.close()


def test_reading_ahead_ends_where_a_truncated_file_does(file: LogFile) -> None:
    part = FileSlice(file, 0, file.size)
    file.truncate(10)
    part.read_ahead()
    part.close()


def test_reading_ahead_reports_the_disk_error_that_a_probe_leaves_to_it(
    file: LogFile, disk: FaultyDisk, failures: list[LogDirError]
) -> None:
    part = FileSlice(file, 0, 50)
    disk.faults["preadv"] = disk.faults["bring_in"] = os_error(errno.EIO)
    assert not part.is_cached()
    assert failures == []
    ahead, ready, errors = ReadAhead("test"), threading.Event(), list[OttlaError | None]()
    ahead.request(part, lambda error: (errors.append(error), ready.set()))
    assert ready.wait(10)
    assert isinstance(errors[0], LogDirError)
    assert failures == errors
    ahead.close()
    part.close()
