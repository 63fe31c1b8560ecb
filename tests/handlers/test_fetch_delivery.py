"""A few kilobytes of records leave as bytes, more as a slice of the file; nothing of a slice is left behind."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.disk.file_slice import FileSlice
from ottla.disk.log_file import LogFile
from ottla.handlers.fetch_delivery import SMALL_BYTES_MAX, read_small
from ottla.protocol.messages.fetch import PartitionData
from support.disks import FaultyDisk, os_error


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def file(tmp_path: Path, disk: FaultyDisk) -> Iterator[LogFile]:
    file = LogFile.create(f"{tmp_path}/a.log", LogDirectory(str(tmp_path), disk))
    file.append(bytes(range(256)) * 64)
    yield file
    file.close()


def test_few_bytes_are_read_and_their_slice_is_closed(file: LogFile) -> None:
    answer = PartitionData(records=FileSlice(file, 3, SMALL_BYTES_MAX))
    read_small(answer)
    assert answer.records == (bytes(range(256)) * 64)[3 : 3 + SMALL_BYTES_MAX]
    assert file.pins == 0


def test_more_bytes_stay_a_slice(file: LogFile) -> None:
    piece = FileSlice(file, 0, SMALL_BYTES_MAX + 1)
    answer = PartitionData(records=piece)
    read_small(answer)
    assert answer.records is piece
    assert file.pins == 1
    piece.close()


def test_what_the_disk_does_not_give_stays_a_slice_whose_sending_will_say_so(file: LogFile, disk: FaultyDisk) -> None:
    piece = FileSlice(file, 0, 100)
    disk.faults["pread"] = os_error(errno.EIO)
    answer = PartitionData(records=piece)
    read_small(answer)
    assert answer.records is piece
    piece.close()


def test_what_was_truncated_meanwhile_stays_a_slice_whose_sending_will_say_so(file: LogFile) -> None:
    piece = FileSlice(file, 100, 100)
    file.truncate(150)
    answer = PartitionData(records=piece)
    read_small(answer)
    assert answer.records is piece
    piece.close()
