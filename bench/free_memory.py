"""Free memory that is really there: touched once before a measurement, so that no broker pays the host for it.

The host of a virtual machine may take back the memory that is free in it (a balloon with free page reporting). It comes
again page by page when somebody writes to it, at a price that `make bench` saw at 2.4 s of processor time per GB:
several times what a broker takes for a GB of records, and paid by whoever needs memory at that moment. On a machine
that keeps its memory this changes nothing.
"""

import contextlib
import mmap
from pathlib import Path

_MADV_POPULATE_WRITE = 23


def touch_free_memory(megabytes: int) -> None:
    """Write to that much, or to half of what is free if it is less: nothing is to leave the page cache for it."""
    size = min(megabytes * 1_000_000, _free_bytes() // 2) // mmap.PAGESIZE * mmap.PAGESIZE
    if size == 0:
        return
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory, contextlib.suppress(OSError):
        memory.madvise(_MADV_POPULATE_WRITE)  # Linux 5.14 and later; before it, memory is as it is


def _free_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "MemFree":
            return int(value.split()[0]) * 1024
    return 0
