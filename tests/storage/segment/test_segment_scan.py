"""Reading a log file again: every end that a scan may come to."""

from pathlib import Path

from ottla.disk.system_disk import SYSTEM_DISK
from ottla.storage.segment.segment_scan import SegmentScan
from support.logs import batch


def test_a_file_that_is_shorter_than_it_was_ends_the_scan(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(bytes(batch(3)))
    size = path.stat().st_size
    scan = SegmentScan(SYSTEM_DISK, str(path), size + 100, 0)
    assert [found.last_offset for found in scan] == [2]
    assert scan.valid_bytes == size
    assert scan.problem == f"the file is shorter than {size + 100} bytes"
