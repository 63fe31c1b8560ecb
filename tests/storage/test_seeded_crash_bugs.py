"""The crash test has teeth: each of these bugs, put in on purpose, is found by it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ottla.storage.flushing import DirectoryFlusher, FlushPlan
from ottla.storage.log import loading, recovery
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir import clean_shutdown
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_durability import LogDurability
from storage.crash_model import CHOICES, crash_points, random_choice
from storage.test_crash_consistency import check_states, run_workload

pytestmark = pytest.mark.long

Seed = Callable[[pytest.MonkeyPatch], None]


def the_marker_is_removed_without_a_sync(patch: pytest.MonkeyPatch) -> None:
    def take(directory: object) -> bool:
        marker = Path(directory.path, clean_shutdown.FILE_NAME)  # type: ignore[attr-defined]
        if not marker.exists():
            return False
        directory.unlink(str(marker))  # type: ignore[attr-defined]
        return True

    patch.setattr(clean_shutdown, "take_marker", take)


def _emptied_indexes_are_believed(patch: pytest.MonkeyPatch) -> None:
    """Loading would rebuild what these bugs leave: it is the second of two locks, and only the first is tried here."""
    patch.setattr(loading, "_lacks_times", lambda segment: False)


def the_marker_is_written_before_the_syncs(patch: pytest.MonkeyPatch) -> None:
    _emptied_indexes_are_believed(patch)
    real = LogDir.close_cleanly

    def close(self: LogDir, broker_epoch: int) -> None:
        clean_shutdown.write_marker(self.own_view(), broker_epoch)
        real(self, broker_epoch)

    patch.setattr(LogDir, "close_cleanly", close)


def a_truncation_leaves_the_recovery_point(patch: pytest.MonkeyPatch) -> None:
    def lower(self: LogDurability, log: PartitionLog, offset: int) -> None:
        log.recovery_point = min(log.recovery_point, offset)

    patch.setattr(LogDurability, "_lower_recovery_point", lower)


def a_truncation_is_not_synced(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(LogDurability, "_sync_truncation", lambda self, log: None)


def the_recovery_point_passes_indexes_that_are_not_synced(patch: pytest.MonkeyPatch) -> None:
    _emptied_indexes_are_believed(patch)
    patch.setattr(DirectoryFlusher, "checkpoint_point", lambda self, log: log.recovery_point)


def a_lost_segment_in_the_middle_is_taken_for_a_gap(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recovery, "_continues", lambda *arguments: True)


def _change_plans(patch: pytest.MonkeyPatch, change: Callable[[FlushPlan], None]) -> None:
    real = DirectoryFlusher._pin_files

    def pin_files(self: DirectoryFlusher, plan: FlushPlan, room: int) -> None:
        real(self, plan, room)
        change(plan)

    patch.setattr(DirectoryFlusher, "_pin_files", pin_files)


def the_epoch_file_is_not_written(patch: pytest.MonkeyPatch) -> None:
    _change_plans(patch, lambda plan: setattr(plan, "epochs", None))


def the_directory_of_a_new_partition_is_not_synced(patch: pytest.MonkeyPatch) -> None:
    _change_plans(patch, lambda plan: setattr(plan, "is_new", False))


def a_closed_segment_is_not_synced(patch: pytest.MonkeyPatch) -> None:
    def drop(plan: FlushPlan) -> None:
        for file, _ in plan.files:
            file.unpin()
        plan.files = []

    _change_plans(patch, drop)


SEEDS: tuple[Seed, ...] = (
    the_marker_is_removed_without_a_sync,
    the_marker_is_written_before_the_syncs,
    a_truncation_leaves_the_recovery_point,
    a_truncation_is_not_synced,
    the_recovery_point_passes_indexes_that_are_not_synced,
    a_lost_segment_in_the_middle_is_taken_for_a_gap,
    the_epoch_file_is_not_written,
    the_directory_of_a_new_partition_is_not_synced,
    a_closed_segment_is_not_synced,
)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.__name__)
def test_a_seeded_bug_is_found(seed: Seed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seed(monkeypatch)
    (tmp_path / "recorded").mkdir()
    workload = run_workload(tmp_path / "recorded")
    choices = (*CHOICES, *map(random_choice, range(2)))
    points = crash_points(workload.disk.trace, step=1)
    with pytest.raises(Exception) as found:
        check_states(workload, tmp_path, points, choices)
    assert any("power cut after call" in note for note in found.value.__notes__)
