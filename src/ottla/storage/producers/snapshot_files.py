"""The `.snapshot` files of a partition: when they are taken, found and dropped. Their bytes: `producer_snapshot`.

One is taken at the beginning of every segment and when the log is closed, so that after a clean stop nothing has to be
read, and after a crash or a truncation only the records since. A snapshot belongs to the segment that begins at its
offset and goes with it.
"""

import os

from ottla.disk.atomic_file import read_whole
from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.storage.producers.producer_snapshot import CorruptSnapshotError, decode_snapshot, encode_snapshot
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.segment.segment_files import SNAPSHOT_SUFFIX, file_path, parse_file_name


class SnapshotFiles:
    """`offsets` is what is on disk, in order."""

    __slots__ = ("_directory", "offsets", "path")

    def __init__(self, path: str, directory: LogDirectory, offsets: list[int]) -> None:
        self.path = path
        self._directory = directory
        self.offsets = sorted(offsets)

    @classmethod
    def among(cls, names: list[str], path: str, directory: LogDirectory) -> "SnapshotFiles":
        """Those of a partition directory with these files in it."""
        parsed = [parse_file_name(name) for name in names]
        return cls(path, directory, [found[0] for found in parsed if found and found[1] == SNAPSHOT_SUFFIX])

    def take(self, producers: ProducerStates, offset: int) -> None:
        """Write down the producers as they stand before `offset`. Made durable with the segment before it."""
        if offset in self.offsets:
            return
        file = LogFile.create(file_path(self.path, offset, SNAPSHOT_SUFFIX), self._directory)
        try:
            file.append(encode_snapshot(producers.items()))
        except Exception:
            file.delete()
            raise
        file.close()
        self.offsets = sorted([*self.offsets, offset])

    def restore_newest(self, producers: ProducerStates, offset_max: int, now_ms: int) -> int:
        """Load the newest snapshot not past `offset_max`; from which offset on records must be replayed.

        A damaged one is removed and the one before it taken; without any the replay begins at offset 0.
        """
        for offset in reversed([offset for offset in self.offsets if offset <= offset_max]):
            content = read_whole(self._directory, file_path(self.path, offset, SNAPSHOT_SUFFIX))
            try:
                producers.restore(iter(decode_snapshot(content or b"")), offset, now_ms)
            except CorruptSnapshotError:
                self._remove([offset])
            else:
                return offset
        producers.clear(0)
        return 0

    def drop_past(self, offset: int) -> None:
        """The log was truncated to `offset`."""
        self._remove([taken for taken in self.offsets if taken > offset])

    def drop_below(self, offset: int) -> None:
        """Segments below `offset` are gone."""
        self._remove([taken for taken in self.offsets if taken < offset])

    def keep_only(self, base_offsets: set[int]) -> None:
        """After a load: the snapshots of segments and the newest of all; others were left by earlier stops."""
        newest = self.offsets[-1:]
        self._remove([taken for taken in self.offsets if taken not in base_offsets and taken not in newest])

    def moved(self, path: str) -> None:
        self.path = path

    def files(self) -> list[str]:
        return [os.path.join(self.path, f"{offset:020d}{SNAPSHOT_SUFFIX}") for offset in self.offsets]

    def _remove(self, offsets: list[int]) -> None:
        for offset in offsets:
            self._directory.unlink(file_path(self.path, offset, SNAPSHOT_SUFFIX))
        self.offsets = [taken for taken in self.offsets if taken not in offsets]
