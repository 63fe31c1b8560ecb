"""Walking over the batches of a file, whatever way they lie across the pieces in which it is read."""

from pathlib import Path

import pytest

from ottla.storage.batch_scan import find_batch, walk_batches
from support.logs import batch, create_log


@pytest.mark.parametrize("value_size", range(60))
def test_every_batch_is_found_wherever_the_windows_end(tmp_path: Path, value_size: int) -> None:
    log = create_log(tmp_path)
    for _ in range(200):
        log.append_as_leader(batch([b"v" * value_size]), 0, now_ms=1)
    file = log.active.log
    places = list(walk_batches(file, 0, file.size))
    assert [place.base_offset for place in places] == list(range(200))
    found = [find_batch(file, offset, 0, file.size) for offset in range(0, 200, 7)]
    assert found == places[::7]
