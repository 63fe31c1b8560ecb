"""A thread that ends the ZooKeeper session of a broker whose event loop is stuck.

kazoo pings from its own thread, so a broker whose loop hangs would keep its registration and its leaderships for ever
without serving anyone. The loop calls `beat`; when it has not for one lease, the watchdog closes the session and the
rest of the cluster goes on without this broker. A loop that comes back finds its lease over, and starts anew. While
there is no session there is nothing to close: the watchdog rests from the end of one to the beginning of the next.
"""

import logging
import threading
from collections.abc import Callable

from ottla.clock import Clock

log = logging.getLogger(__name__)

STOP_SECONDS_MAX = 1.0


class Watchdog:
    def __init__(self, clock: Clock, on_stuck: Callable[[], None]) -> None:
        self._clock = clock
        self._on_stuck = on_stuck
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._last_beat = clock.monotonic()
        self._patience_s = 0.0
        self._barked = False
        self._resting = True

    def start(self, patience_ms: int) -> None:
        """Watch from now on. Called again when the session timeout is granted anew."""
        self.watch(patience_ms)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="zookeeper-watchdog", daemon=True)
            self._thread.start()

    def watch(self, patience_ms: int) -> None:
        """`start` without the thread: somebody else calls `check`."""
        self._patience_s = patience_ms / 1000
        self._resting = False
        self.beat()

    def rest(self) -> None:
        """There is no session: nothing to watch until the next `start`."""
        self._resting = True

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS_MAX)  # it may be closing a session that cannot be reached; it is a daemon
            self._thread = None

    def beat(self) -> None:
        """The loop is alive. Called from the loop several times per lease."""
        self._last_beat = self._clock.monotonic()
        self._barked = False

    def check(self) -> bool:
        """Close the session if the loop has been silent for too long; once per silence."""
        silent_s = self._clock.monotonic() - self._last_beat
        if self._resting or self._barked or silent_s < self._patience_s:
            return False
        self._barked = True
        log.error("event loop stuck for %.1f s: closing the ZooKeeper session", silent_s)
        self._on_stuck()
        return True

    def _run(self) -> None:
        while not self._stopped.wait(self._patience_s / 4):
            self.check()
