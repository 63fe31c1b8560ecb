"""The end of a stop that does not end: a thread that ends the process, and says what was left.

The steps of a stop have their bounds (`stop_sequence`), but those are kept by the event loop, and a thread that waits
for a disk cannot be cancelled. Whoever sent SIGTERM waits for the process to go. What is left then is what a kill would
have left: records are in the page cache and survive, and the next start recovers. Flushing the logs is waited for.
"""

import logging
import os
import threading
import time

from ottla.broker.stop_sequence import StopSequence

logger = logging.getLogger(__name__)

AFTER_FLUSH_SECONDS = 3.0
_POLL_SECONDS = 0.1


class StopDeadline:
    """`start` when the stop begins; a second time does nothing. Holds to the very end of the process."""

    def __init__(self, timeout_s: float, stops: StopSequence) -> None:
        self._timeout_s = timeout_s
        self._stops = stops
        self._started = False

    def start(self) -> None:
        if not self._started:
            self._started = True
            threading.Thread(target=self._run, name="stop-deadline", daemon=True).start()

    def _run(self) -> None:
        began = time.monotonic()
        due = began + self._timeout_s
        while (now := time.monotonic()) < due:
            time.sleep(min(_POLL_SECONDS, due - now))
            if self._stops.is_flushing:
                due = max(due, time.monotonic() + AFTER_FLUSH_SECONDS)
        logger.error(
            "not stopped after %.0f s, ending at once: recovery will run at the next start. Left undone: %s",
            time.monotonic() - began,
            ", ".join(self._stops.undone) or "threads of the process",
        )
        os._exit(1)
