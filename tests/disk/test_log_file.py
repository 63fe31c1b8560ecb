import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from support.disks import FaultyDisk, os_error


@pytest.fixture
def file(directory: LogDirectory) -> LogFile:
    return LogFile.create(f"{directory.path}/a.log", directory)


def on_disk(file: LogFile) -> bytes:
    return Path(file.path).read_bytes()


def test_append_answers_the_position_and_moves_the_size(file: LogFile) -> None:
    assert file.append(b"abc") == 0
    assert file.append(memoryview(b"defg")) == 3
    assert file.append_parts(bytearray(b"hi"), b"jk") == 7
    assert file.size == 11
    assert file.read_at(2, 100) == b"cdefghijk"
    assert on_disk(file) == b"abcdefghijk"


def test_reads_stop_at_what_was_appended_even_where_room_is_preallocated(directory: LogDirectory) -> None:
    file = LogFile.create(f"{directory.path}/a.log", directory, allocate_bytes=4096)
    file.append(b"abc")
    assert len(on_disk(file)) == 4096
    assert file.read_at(0, 4096) == b"abc"
    file.truncate(file.size)
    assert on_disk(file) == b"abc"


def test_what_stood_in_the_place_of_a_new_file_is_gone(directory: LogDirectory) -> None:
    Path(f"{directory.path}/a.log").write_bytes(b"old")
    file = LogFile.create(f"{directory.path}/a.log", directory)
    assert on_disk(file) == b""


def test_a_new_file_is_not_cut_so_that_ext4_does_not_write_it_out_when_it_is_closed(
    directory: LogDirectory, disk: FaultyDisk
) -> None:
    LogFile.create(f"{directory.path}/a.log", directory)
    assert "truncate" not in disk.calls


@pytest.mark.parametrize("room", [0, 1, 3])
def test_a_full_disk_leaves_the_file_as_it_was(file: LogFile, disk: FaultyDisk, room: int) -> None:
    file.append(b"abc")
    disk.room = room
    with pytest.raises(KafkaStorageError):
        file.append(b"defg")
    assert file.size == 3
    assert on_disk(file) == b"abc"
    disk.room = None
    assert file.append(b"xy") == 3
    assert on_disk(file) == b"abcxy"


def test_a_full_disk_leaves_the_file_as_it_was_when_written_in_parts(file: LogFile, disk: FaultyDisk) -> None:
    file.append(b"abc")
    disk.room = 3
    with pytest.raises(KafkaStorageError):
        file.append_parts(b"de", b"fg")
    assert on_disk(file) == b"abc"


def test_an_input_output_error_takes_the_directory_offline(file: LogFile, disk: FaultyDisk) -> None:
    disk.faults["pwrite"] = os_error(errno.EIO)
    with pytest.raises(LogDirError) as raised:
        file.append(b"abc")
    assert raised.value.directory == file.directory.path


@pytest.mark.parametrize(
    ("call", "use"),
    [
        ("pwrite", lambda file: file.append(b"abc")),
        ("pwritev", lambda file: file.append_parts(b"a", b"b")),
        ("pread", lambda file: file.read_at(0, 1)),
        ("truncate", lambda file: file.truncate(0)),
        ("sync", lambda file: file.sync()),
    ],
)
def test_an_error_of_a_descriptor_names_the_file(
    file: LogFile, disk: FaultyDisk, call: str, use: Callable[[LogFile], object]
) -> None:
    file.append(b"abc")
    disk.faults[call] = os_error(errno.EIO)
    with pytest.raises(LogDirError, match=re.escape(file.path)):
        use(file)


def test_a_failed_append_that_cannot_be_undone_takes_the_directory_offline(file: LogFile, disk: FaultyDisk) -> None:
    disk.room = 1
    disk.faults["truncate"] = os_error(errno.EIO)
    with pytest.raises(LogDirError):
        file.append(b"abc")


def test_a_failed_sync_takes_the_directory_offline_even_when_it_says_no_space(file: LogFile, disk: FaultyDisk) -> None:
    disk.faults["sync"] = os_error(errno.ENOSPC)
    with pytest.raises(LogDirError):
        file.sync()


def test_a_file_that_cannot_be_created_leaves_nothing_behind(directory: LogDirectory, disk: FaultyDisk) -> None:
    disk.faults["allocate"] = os_error(errno.ENOSPC)
    with pytest.raises(KafkaStorageError):
        LogFile.create(f"{directory.path}/b.log", directory, allocate_bytes=100)
    assert directory.list_directory(directory.path) == []
    assert len(directory.handles) == 0


def test_opening_takes_no_descriptor_until_the_first_use(file: LogFile, disk: FaultyDisk) -> None:
    file.append(b"abc")
    disk.calls.clear()
    again = LogFile.open(file.path, file.directory)
    assert again.size == 3
    assert disk.calls == ["stat"]
    assert again.read_at(0, 3) == b"abc"


def test_renames_are_followed_by_later_opens(file: LogFile) -> None:
    file.append(b"abc")
    file.rename(file.path + ".deleted")
    file.close()
    assert file.read_at(0, 3) == b"abc"


def test_a_file_closed_while_it_is_pinned_gives_its_descriptor_back_with_the_last_pin(file: LogFile) -> None:
    file.append(b"abc")
    descriptors = [file.pin(), file.pin()]
    file.close()
    assert os.pread(descriptors[0], 3, 0) == b"abc"
    file.unpin()
    assert len(file.directory.handles) == 1
    file.unpin()
    assert len(file.directory.handles) == 0


def test_a_file_opened_again_after_it_was_closed_while_pinned_stays_open_when_it_is_unpinned(file: LogFile) -> None:
    file.append(b"abc")
    file.pin()
    file.close()
    file.unpin()
    descriptor = file.pin()
    file.unpin()
    assert len(file.directory.handles) == 1
    assert file.descriptor == descriptor


def test_a_file_deleted_while_it_is_pinned_stays_readable_until_the_last_pin(file: LogFile) -> None:
    file.append(b"abc")
    path, descriptor = file.path, file.pin()
    file.pin()
    file.delete()
    file.unpin()
    assert not os.path.exists(path)
    assert os.pread(descriptor, 3, 0) == b"abc"
    file.unpin()
    assert len(file.directory.handles) == 0


MEGABYTE = 1024 * 1024


def allocated(file: LogFile) -> int:
    return os.stat(file.path).st_blocks * 512


def test_a_file_that_grows_has_room_ahead_which_nobody_sees_and_which_is_given_back(file: LogFile) -> None:
    for _ in range(3):
        file.append(bytes(MEGABYTE))
    file.append(b"abc")
    file.sync()
    assert allocated(file) >= 4 * MEGABYTE
    assert len(on_disk(file)) == file.size == 3 * MEGABYTE + 3
    file.truncate(file.size)
    assert allocated(file) < 3 * MEGABYTE + 64 * 1024


def test_a_small_file_reserves_nothing(file: LogFile) -> None:
    file.append(b"abc")
    file.sync()
    assert allocated(file) <= 64 * 1024


def test_appends_go_on_where_no_room_can_be_reserved(directory: LogDirectory) -> None:
    class NoReservation(FaultyDisk):
        asked = 0

        def reserve(self, descriptor: int, position: int, count: int, /) -> None:
            NoReservation.asked += 1
            raise os_error(errno.EOPNOTSUPP)

    directory.disk = NoReservation()
    file = LogFile.create(f"{directory.path}/a.log", directory)
    for _ in range(5):
        file.append(bytes(MEGABYTE))
    assert file.size == len(on_disk(file)) == 5 * MEGABYTE
    assert NoReservation.asked == 1
