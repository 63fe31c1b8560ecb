from pathlib import Path

import pytest

from ottla.disk.directory import LogDirectory
from ottla.errors.kafka import KafkaStorageError
from ottla.records.batch import empty_header
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.producers.snapshot_files import SnapshotFiles
from support.disks import FaultyDisk
from support.logs import NOW_MS


def states(*producer_ids: int) -> ProducerStates:
    producers = ProducerStates("orders-0")
    for offset, producer_id in enumerate(producer_ids):
        header = empty_header(records_count=1)._replace(producer_id=producer_id, producer_epoch=0, base_sequence=0)
        producers.update(header, offset, NOW_MS)
    return producers


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def snapshots(tmp_path: Path, disk: FaultyDisk) -> SnapshotFiles:
    snapshots = SnapshotFiles(str(tmp_path), LogDirectory(str(tmp_path), disk), [])
    snapshots.take(states(1), 10)
    snapshots.take(states(1, 2), 20)
    snapshots.take(states(1, 2, 3), 30)
    return snapshots


def restored(snapshots: SnapshotFiles, offset: int) -> tuple[int, list[int]]:
    producers = states(99)
    return snapshots.restore_newest(producers, offset, NOW_MS), sorted(dict(producers.items()))


def test_the_newest_snapshot_up_to_an_offset_is_restored(snapshots: SnapshotFiles) -> None:
    assert restored(snapshots, 1000) == (30, [1, 2, 3])
    assert restored(snapshots, 29) == (20, [1, 2])
    assert restored(snapshots, 20) == (20, [1, 2])


def test_without_a_snapshot_the_replay_begins_at_0(snapshots: SnapshotFiles) -> None:
    assert restored(snapshots, 9) == (0, [])


def test_a_damaged_snapshot_is_removed_and_the_one_before_taken(snapshots: SnapshotFiles, tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000030.snapshot"
    path.write_bytes(path.read_bytes()[:-1])
    assert restored(snapshots, 1000) == (20, [1, 2])
    assert not path.exists()
    assert snapshots.offsets == [10, 20]


def test_snapshots_that_are_there_are_found_by_their_names(snapshots: SnapshotFiles, tmp_path: Path) -> None:
    names = [*(path.name for path in tmp_path.iterdir()), "00000000000000000040.snapshot.deleted", "lost+found"]
    assert SnapshotFiles.among(names, str(tmp_path), LogDirectory(str(tmp_path))).offsets == [10, 20, 30]


def test_after_a_load_those_of_segments_and_the_newest_stay(snapshots: SnapshotFiles, tmp_path: Path) -> None:
    snapshots.keep_only({10})
    assert snapshots.offsets == [10, 30]
    assert sorted(path.name[18:20] for path in tmp_path.iterdir()) == ["10", "30"]


def test_a_snapshot_that_does_not_fit_leaves_nothing_behind(
    snapshots: SnapshotFiles, disk: FaultyDisk, tmp_path: Path
) -> None:
    disk.room = 5
    with pytest.raises(KafkaStorageError):
        snapshots.take(states(1), 40)
    assert snapshots.offsets == [10, 20, 30]
    assert len(list(tmp_path.iterdir())) == 3
