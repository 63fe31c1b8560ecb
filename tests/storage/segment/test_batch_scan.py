"""Walking over the batches of a file, whatever way they lie across the pieces in which it is read."""

from pathlib import Path

import pytest

from ottla.storage.segment.batch_scan import find_position, walk_batches
from support.disks import FaultyDisk
from support.logs import batch, create_log


@pytest.mark.parametrize("value_size", range(60))
def test_every_batch_is_found_wherever_the_windows_end(tmp_path: Path, value_size: int) -> None:
    log = create_log(tmp_path)
    for _ in range(200):
        log.append_as_leader(batch([b"v" * value_size]), 0, now_ms=1)
    file = log.active.log
    places = list(walk_batches(file, 0, file.size))
    assert [place.base_offset for place in places] == list(range(200))
    found = [find_position(file, offset, 0, file.size) for offset in range(0, 200, 7)]
    assert found == [place.position for place in places[::7]]


def test_the_batch_behind_the_one_that_ends_just_before_the_offset_is_not_read(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    for _ in range(3):
        log.append_as_leader(batch([b"v" * 20_000]), 0, now_ms=1)
    file = log.active.log
    second, third = [place.position for place in walk_batches(file, 0, file.size)][1:]
    disk = file.directory.disk = FaultyDisk()
    assert find_position(file, 1, 0, file.size) == second
    assert disk.calls == ["pread"]
    assert find_position(file, 2, second, file.size) == third
    assert find_position(file, 3, third, file.size) is None
