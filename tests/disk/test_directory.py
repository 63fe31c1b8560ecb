import errno
from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from support.disks import FaultyDisk, RecordingDisk, os_error


def test_renames_are_durable_on_return(tmp_path: Path) -> None:
    disk = RecordingDisk()
    directory = LogDirectory(str(tmp_path), disk)
    directory.make_directory(f"{tmp_path}/t-0")
    directory.rename(f"{tmp_path}/t-0", f"{tmp_path}/t-0.abc-delete")
    assert [step[0] for step in disk.trace] == ["make_directory", "sync_directory", "rename", "sync_directory"]
    assert directory.list_directory(directory.path) == ["t-0.abc-delete"]


def test_a_directory_goes_with_its_files(directory: LogDirectory) -> None:
    path = f"{directory.path}/t-0"
    directory.make_directory(path)
    (Path(path) / "a.log").write_bytes(b"x")
    directory.remove_tree(path)
    assert directory.list_directory(directory.path) == []


def test_removing_what_is_gone_is_no_error(directory: LogDirectory) -> None:
    directory.unlink(f"{directory.path}/never-there")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EMFILE])
def test_no_room_is_an_answer_and_not_the_end_of_the_directory(
    directory: LogDirectory, disk: FaultyDisk, number: int
) -> None:
    disk.faults["make_directory"] = os_error(number)
    with pytest.raises(KafkaStorageError):
        directory.make_directory(f"{directory.path}/t-0")


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS, errno.EACCES])
def test_every_other_error_takes_the_directory_offline(directory: LogDirectory, disk: FaultyDisk, number: int) -> None:
    disk.faults["unlink"] = os_error(number)
    with pytest.raises(LogDirError):
        directory.unlink(f"{directory.path}/a")


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_without_a_descriptor_for_its_sync_a_directory_is_not_lost(
    directory: LogDirectory, disk: FaultyDisk, number: int
) -> None:
    disk.faults["sync_directory"] = os_error(number)
    with pytest.raises(KafkaStorageError):
        directory.sync_directory(directory.path)


def test_a_file_that_nobody_uses_gives_up_its_descriptor_when_there_is_no_other(tmp_path: Path) -> None:
    class OneDescriptorLess(FaultyDisk):
        def open(self, path: str, flags: int, /) -> int:
            if len(directory.handles):
                raise os_error(errno.EMFILE)
            return super().open(path, flags)

        def sync_directory(self, path: str, /) -> None:
            if len(directory.handles):
                raise os_error(errno.EMFILE)
            super().sync_directory(path)

    directory = LogDirectory(str(tmp_path), OneDescriptorLess())
    first = LogFile.create(f"{tmp_path}/first", directory)
    second = LogFile.create(f"{tmp_path}/second", directory)
    second.append(b"x")
    first.append(b"y")
    directory.sync_directory(directory.path)
    assert (first.read_at(0, 1), second.read_at(0, 1)) == (b"y", b"x")


def test_what_cannot_be_undone_must_not_stop_halfway(directory: LogDirectory, disk: FaultyDisk) -> None:
    directory.make_directory(f"{directory.path}/t-0")
    disk.faults["sync_directory"] = os_error(errno.EMFILE)
    with pytest.raises(LogDirError):
        directory.rename(f"{directory.path}/t-0", f"{directory.path}/t-0.abc-delete")
