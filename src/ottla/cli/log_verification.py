"""Checking a segment file: every batch as recovery would check it, from the first byte to the last."""

import os
from typing import NamedTuple

from ottla.disk.system_disk import SystemDisk
from ottla.storage.segment.segment_files import parse_file_name
from ottla.storage.segment.segment_scan import SegmentScan


class Verified(NamedTuple):
    file: str
    bytes: int
    batches: int
    first_offset: int | None
    next_offset: int | None
    problem: str | None


def verify_segment(path: str) -> Verified:
    """`next_offset` is where the sound part of the file ends."""
    size = os.path.getsize(path)
    parsed = parse_file_name(os.path.basename(path))
    scan = SegmentScan(SystemDisk(), path, size, parsed[0] if parsed else 0)
    batches, first, following = 0, None, None
    for batch in scan:
        batches += 1
        first = batch.base_offset if first is None else first
        following = batch.last_offset + 1
    problem = None if scan.problem is None else f"at {scan.valid_bytes}: {scan.problem}"
    return Verified(path, size, batches, first, following, problem)
