import errno
from pathlib import Path

import pytest

from ottla.disk.atomic_file import read_whole, write_atomically
from ottla.disk.directory import LogDirectory
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from support.disks import FaultyDisk, RecordingDisk, os_error


def test_content_is_replaced_whole(directory: LogDirectory) -> None:
    path = f"{directory.path}/checkpoint"
    assert read_whole(directory, path) is None
    write_atomically(directory, path, b"one")
    write_atomically(directory, path, b"two, and longer")
    assert read_whole(directory, path) == b"two, and longer"
    assert directory.list_directory(directory.path) == ["checkpoint"]
    assert len(directory.handles) == 0


def test_file_is_synced_before_its_name_and_its_name_before_the_return(tmp_path: Path) -> None:
    disk = RecordingDisk()
    path = f"{tmp_path}/checkpoint"
    write_atomically(LogDirectory(str(tmp_path), disk), path, b"one")
    assert [step[0] for step in disk.trace] == ["create", "write", "sync", "rename", "sync_directory"]


def test_a_full_disk_keeps_the_old_content(directory: LogDirectory, disk: FaultyDisk) -> None:
    path = f"{directory.path}/checkpoint"
    write_atomically(directory, path, b"one")
    disk.room = 1
    with pytest.raises(KafkaStorageError):
        write_atomically(directory, path, b"two")
    assert read_whole(directory, path) == b"one"


@pytest.mark.parametrize("call", ["sync", "rename", "sync_directory"])
def test_errors_below_take_the_directory_offline(directory: LogDirectory, disk: FaultyDisk, call: str) -> None:
    path = f"{directory.path}/checkpoint"
    write_atomically(directory, path, b"one")
    disk.faults[call] = os_error(errno.EIO)
    with pytest.raises(LogDirError):
        write_atomically(directory, path, b"two")
    disk.faults.clear()
    assert read_whole(directory, path) in {b"one", b"two"}


def test_a_directory_in_the_place_of_the_file_is_named(directory: LogDirectory) -> None:
    path = f"{directory.path}/checkpoint"
    directory.make_directory(path)
    with pytest.raises(LogDirError, match=r"Is a directory: .*/checkpoint"):
        read_whole(directory, path)
