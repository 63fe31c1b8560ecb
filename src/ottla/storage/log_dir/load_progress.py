"""How far the loading of a log directory has come, for whoever waits for a broker that recovers.

Told by the threads that load, read by the event loop.
"""

import threading


class LoadProgress:
    """`recovered_bytes` is the log that was read because the last stop was not clean; it stays when all is loaded."""

    __slots__ = ("_lock", "logs_left", "recovered_bytes", "segments_left")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.logs_left = 0
        self.segments_left = 0
        self.recovered_bytes = 0

    def logs_found(self, count: int) -> None:
        with self._lock:
            self.logs_left += count

    def log_loaded(self) -> None:
        with self._lock:
            self.logs_left -= 1

    def segments_found(self, count: int) -> None:
        """Segments that have to be read."""
        with self._lock:
            self.segments_left += count

    def segment_recovered(self, size_bytes: int) -> None:
        with self._lock:
            self.segments_left -= 1
            self.recovered_bytes += size_bytes

    def segments_dropped(self, count: int) -> None:
        """They lie behind the end of the log and were deleted unread."""
        with self._lock:
            self.segments_left -= count
