"""The cleaning process: a job per line of standard input, its result per line of standard output.

It must not outlive the broker, which may be started again and clean the same directories: a thread waits for the end of
standard input, and then the process ends, whatever it is doing. What it leaves is removed by whoever cleans next.
"""

import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TextIO

from ottla.errors import KafkaError, OttlaError
from ottla.errors.kafka import KafkaStorageError
from ottla.storage.cleaner.cleaning import clean
from ottla.storage.cleaner.job import CleaningJob, CleaningResult

NICENESS = 10


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # A terminal's interrupt is for the broker, which then ends us.
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    jobs: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read_jobs, args=(sys.stdin, jobs.put), daemon=True).start()
    while True:
        print(run(jobs.get()), flush=True)


def _read_jobs(lines: Iterable[str] | TextIO, put: Callable[[str], None]) -> None:
    for line in lines:
        put(line)
    os._exit(0)


def run(line: str) -> str:
    job = CleaningJob.decode(line)
    try:
        return clean(job).encode()
    except (OttlaError, OSError) as error:
        is_damaged = isinstance(error, KafkaError) and not isinstance(error, KafkaStorageError)
        reason = f"{type(error).__name__}: {error}"
        return CleaningResult([], job.first_dirty_offset, 0, 0, 0, reason, is_damaged).encode()


if __name__ == "__main__":
    main()
