"""The recovery scan: which batches of a log file can be trusted, and why it ends where it does.

The first batch that is cut short, has an impossible length, another magic, a wrong CRC or an offset that does not rise
ends the log. The scan itself (`kernels.kernel_scan`) holds no GIL, so several files may be scanned in threads.
"""

from array import array
from enum import IntEnum
from typing import NamedTuple

from ottla.records.batch import Buffer
from ottla.records.kernels import kernel_scan
from ottla.records.kernels.crc_tables import CASTAGNOLI, crc_table

COLUMNS = 12


class ScanEnd(IntEnum):
    """Why a scan stopped."""

    END = 0
    SHORT = 1
    LENGTH = 2
    MAGIC = 3
    CRC = 4
    OFFSETS = 5


REASONS = {
    ScanEnd.END: "end of the log",
    ScanEnd.SHORT: "a batch is cut short",
    ScanEnd.LENGTH: "a batch length is less than a header",
    ScanEnd.MAGIC: "a batch has another magic than 2",
    ScanEnd.CRC: "the CRC of a batch is wrong",
    ScanEnd.OFFSETS: "the offsets of a batch do not follow those before",
}


class BatchScan(NamedTuple):
    """One int64 column per field (memoryviews of format q), one entry per good batch; and where and why it stopped."""

    batches_count: int
    end_position: int
    end: ScanEnd
    position: memoryview
    size_bytes: memoryview
    base_offset: memoryview
    last_offset: memoryview
    base_timestamp: memoryview
    max_timestamp: memoryview
    producer_id: memoryview
    producer_epoch: memoryview
    base_sequence: memoryview
    leader_epoch: memoryview
    attributes: memoryview
    records_count: memoryview

    @property
    def is_whole(self) -> bool:
        """Every byte belongs to a good batch."""
        return self.end is ScanEnd.END

    @property
    def reason(self) -> str:
        return f"{REASONS[self.end]} at position {self.end_position}"


def scan_batches(buffer: Buffer, start: int = 0, offset_min: int = 0) -> BatchScan:
    """Scans `buffer` (bytes, or a memory-mapped file) from `start`; base offsets must be at least `offset_min`."""
    view = memoryview(buffer)
    capacity = kernel_scan.count_batches(view, start)
    columns = array("q", bytes(8 * COLUMNS * capacity))
    outcome = array("q", (0, 0))
    reason = kernel_scan.scan_batches(view, start, offset_min, crc_table(CASTAGNOLI), columns, outcome)
    count, end_position = outcome
    whole = memoryview(columns)
    blocks = (whole[capacity * index : capacity * index + count] for index in range(COLUMNS))
    return BatchScan(count, end_position, ScanEnd(reason), *blocks)
