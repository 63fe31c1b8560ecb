import os

import pytest

from ottla.disk.directory import LogDirectory
from ottla.disk.handle_cache import HANDLES_MAX, HandleCache, affordable_handles
from ottla.disk.log_file import LogFile


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_descriptors_stay_within_the_bound_and_every_file_stays_usable(tmp_path: os.PathLike[str]) -> None:
    directory = LogDirectory(str(tmp_path), handles=HandleCache(handles_max=4))
    before = open_descriptors()
    files = [LogFile.create(f"{tmp_path}/{number}", directory) for number in range(20)]
    for round_number in range(3):
        for number, file in enumerate(files):
            assert file.append(b"%02d" % number) == 2 * round_number
    assert open_descriptors() - before <= 4
    assert [file.read_at(0, 6) for file in files] == [b"%02d" % number * 3 for number in range(20)]


def test_pinned_files_keep_their_descriptor_while_others_come_and_go(tmp_path: os.PathLike[str]) -> None:
    directory = LogDirectory(str(tmp_path), handles=HandleCache(handles_max=2))
    pinned = LogFile.create(f"{tmp_path}/pinned", directory)
    descriptor = pinned.pin()
    for number in range(10):
        LogFile.create(f"{tmp_path}/{number}", directory).append(b"x")
    assert pinned.descriptor == descriptor
    assert len(directory.handles) == 2


def test_the_bound_gives_way_when_every_file_is_pinned(tmp_path: os.PathLike[str]) -> None:
    directory = LogDirectory(str(tmp_path), handles=HandleCache(handles_max=2))
    files = [LogFile.create(f"{tmp_path}/{number}", directory) for number in range(2)]
    for file in files:
        file.pin()
    assert LogFile.create(f"{tmp_path}/third", directory).append(b"x") == 0


def test_a_file_in_use_outlives_files_that_are_not(tmp_path: os.PathLike[str]) -> None:
    directory = LogDirectory(str(tmp_path), handles=HandleCache(handles_max=3))
    hot = LogFile.create(f"{tmp_path}/hot", directory)
    descriptor = hot.descriptor
    for number in range(10):
        LogFile.create(f"{tmp_path}/{number}", directory)
        assert hot.descriptor == descriptor


def test_closing_gives_back_every_descriptor(tmp_path: os.PathLike[str]) -> None:
    before = open_descriptors()
    directory = LogDirectory(str(tmp_path))
    files = [LogFile.create(f"{tmp_path}/{number}", directory) for number in range(5)]
    for file in files:
        file.close()
    assert open_descriptors() == before
    assert len(directory.handles) == 0


def test_everything_can_be_given_back_at_once_and_opened_again(tmp_path: os.PathLike[str]) -> None:
    before = open_descriptors()
    directory = LogDirectory(str(tmp_path))
    files = [LogFile.create(f"{tmp_path}/{number}", directory) for number in range(5)]
    directory.handles.close_all()
    assert open_descriptors() == before
    assert [file.append(b"x") for file in files] == [0] * 5


@pytest.mark.parametrize(("descriptors", "handles"), [(256, 102), (1024, 409), (20_000, HANDLES_MAX), (1, 1)])
def test_log_files_leave_most_descriptors_to_others(descriptors: int, handles: int) -> None:
    assert affordable_handles(HANDLES_MAX, descriptors) == handles
