"""Cleans a directory as a broker does and kills itself, by SIGKILL, at a step of the swap.

python killed_cleaner.py DIRECTORY STEP      a step is a rename or a sync of a directory; -1: to the end
"""

import os
import signal
import sys
from pathlib import Path

from ottla.disk.system_disk import SystemDisk
from ottla.storage.cleaner.process import CleanerProcess
from support.compaction import CompactedLogs


class DeadlyDisk(SystemDisk):
    def __init__(self, left: int) -> None:
        self.left = left

    def rename(self, source: str, target: str) -> None:
        self._step()
        super().rename(source, target)

    def sync_directory(self, path: str) -> None:
        self._step()
        super().sync_directory(path)

    def _step(self) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1


def main(root: str, step: int) -> None:
    logs = CompactedLogs(Path(root), segment_bytes=1 << 20)
    logs.log.mark_flushed(logs.log.log_end_offset)
    disk = DeadlyDisk(step)
    logs.log.log_directory.disk = disk
    process = CleanerProcess()
    logs.cleaner = logs.new_cleaner(run=process.run)
    logs.cleaner.tick()
    process.stop()
    print(-disk.left - 1)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
