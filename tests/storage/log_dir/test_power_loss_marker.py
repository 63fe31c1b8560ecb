"""A directory that may have lost records says so until the controller knows, through any number of restarts."""

from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.disk.system_disk import SYSTEM_DISK
from ottla.storage.log_dir import power_loss_marker

THIS, OTHER = "this boot", "another boot"


def start(path: Path, *, was_clean: bool, boot_id: str = THIS) -> bool:
    return power_loss_marker.read_marker(LogDirectory(str(path), SYSTEM_DISK), was_clean=was_clean, boot_id=boot_id)


def vouch(path: Path, boot_id: str = THIS) -> None:
    power_loss_marker.mark_intact(LogDirectory(str(path), SYSTEM_DISK), boot_id)


def test_new_directory_may_lack_records_and_one_that_kafka_stopped_cleanly_does_not(tmp_path: Path) -> None:
    assert start(tmp_path, was_clean=True)
    (tmp_path / power_loss_marker.FILE_NAME).unlink()
    assert not start(tmp_path, was_clean=False)


def test_killed_process_loses_nothing_and_a_power_cut_may(tmp_path: Path) -> None:
    vouch(tmp_path)
    assert start(tmp_path, was_clean=False)
    assert not start(tmp_path, was_clean=False, boot_id=OTHER)


def test_clean_stop_keeps_a_directory_whole_through_a_reboot(tmp_path: Path) -> None:
    vouch(tmp_path)
    assert start(tmp_path, was_clean=True, boot_id=OTHER)
    assert start(tmp_path, was_clean=False, boot_id=OTHER)


@pytest.mark.parametrize("was_clean", [True, False])
def test_what_may_be_lost_is_remembered_until_it_is_vouched_for(tmp_path: Path, was_clean: bool) -> None:
    assert not start(tmp_path, was_clean=False)
    assert not start(tmp_path, was_clean=was_clean)
    vouch(tmp_path)
    assert start(tmp_path, was_clean=was_clean)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff"])
def test_damaged_file_counts_as_a_loss(tmp_path: Path, content: bytes) -> None:
    (tmp_path / power_loss_marker.FILE_NAME).write_bytes(content)
    assert not start(tmp_path, was_clean=True)


def test_boot_id_stays_the_same_while_the_system_runs() -> None:
    assert power_loss_marker.system_boot_id() == power_loss_marker.system_boot_id()
