"""Files on their way out: renamed already, removed after `file.delete.delay.ms`, so that readers can finish.

Removing a file of a gigabyte takes the file system a while, so it is done in the directory's thread; before that the
descriptor is given back on the loop, or the work would happen when the loop closes it. A file that a reader still
holds is only unlinked; its blocks go with the last reader.
"""

import heapq
import itertools
import logging
from collections.abc import Callable, Sequence

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors.kafka import KafkaStorageError
from ottla.storage.background import Background
from ottla.storage.segment.segment import Segment

logger = logging.getLogger(__name__)

RETRY_MS = 10_000


class DeletionQueue:
    """What is to be removed from one log directory, and when."""

    __slots__ = ("_background", "_directory", "_heap", "_now_ms", "_numbers", "_on_failure")

    def __init__(
        self, directory: LogDirectory, background: Background, on_failure: Callable[[Exception], None]
    ) -> None:
        self._directory = LogDirectory(directory.path, directory.disk)
        self._background = background
        self._on_failure = on_failure
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._now_ms = 0

    def __len__(self) -> int:
        return len(self._heap)

    def add_segments(self, segments: Sequence[Segment], due_ms: int) -> None:
        """Their files have been renamed to `.deleted`."""
        files = [file for segment in segments for file in segment.files]
        self._push(due_ms, lambda: self._remove_files(files))

    def add_directory(self, path: str, due_ms: int) -> None:
        """A partition's directory that has been renamed to `-delete`."""
        self._push(due_ms, lambda: self._remove_tree(path))

    def run_due(self, now_ms: int) -> None:
        self._now_ms = now_ms
        while self._heap and self._heap[0][0] <= now_ms:
            heapq.heappop(self._heap)[2]()

    def run_all(self) -> None:
        """On a stop: what is left would be found and removed by the next start, but why leave it."""
        due, self._heap = self._heap, []
        for _, _, action in sorted(due, key=lambda entry: entry[:2]):
            action()

    def _push(self, due_ms: int, action: Callable[[], None]) -> None:
        heapq.heappush(self._heap, (due_ms, next(self._numbers), action))

    def _remove_files(self, files: list[LogFile]) -> None:
        for file in files:
            file.close()
        paths = [file.path for file in files if file.path]

        def remove() -> None:
            for path in paths:
                self._directory.unlink(path)

        def finish(error: Exception | None) -> None:
            if error is not None:
                self._failed(error, lambda: self._remove_files(files))
                return
            for file in files:
                if file.path:
                    file.delete()

        self._background.submit(remove, finish)

    def _remove_tree(self, path: str) -> None:
        def finish(error: Exception | None) -> None:
            if error is not None:
                self._failed(error, lambda: self._remove_tree(path))
            else:
                logger.debug("removed %s", path)

        self._background.submit(lambda: self._remove_tree_if_there(path), finish)

    def _failed(self, error: Exception, action: Callable[[], None]) -> None:
        if isinstance(error, KafkaStorageError):
            logger.warning("a removal is put off: %s", error)
            self._push(self._now_ms + RETRY_MS, action)
        else:
            self._on_failure(error)

    def _remove_tree_if_there(self, path: str) -> None:
        try:
            self._directory.disk.stat(path)
        except FileNotFoundError:
            return  # somebody was quicker
        self._directory.remove_tree(path)
