"""The cleaning process as the broker sees it. `run` blocks: call it from a thread that does nothing else."""

import os
import subprocess
import sys

from ottla.errors import OttlaError
from ottla.storage.cleaner.job import CleaningJob, CleaningResult

STOP_SECONDS = 5


class CleanerDiedError(OttlaError):
    """The process ended in the middle of a job. The next job starts another."""


class CleanerProcess:
    """One child, started with the first job. It ends when its standard input does: with the broker, however."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        return None if self._child is None else self._child.pid

    def run(self, job: CleaningJob) -> CleaningResult:
        child = self._child or self._start()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(job.encode() + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except (OSError, ValueError) as error:
            self._forget(child)
            raise CleanerDiedError(f"the cleaning process is gone: {error}") from error
        if not line:
            self._forget(child)
            raise CleanerDiedError(f"the cleaning process ended with {child.returncode}")
        return CleaningResult.decode(line)

    def _start(self) -> subprocess.Popen[str]:
        self._child = subprocess.Popen(
            [sys.executable, "-m", "ottla.storage.cleaner"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        return self._child

    def _forget(self, child: subprocess.Popen[str]) -> None:
        self._child = None
        _end(child)

    def stop(self) -> None:
        """End the child, in the middle of a job too. From any thread."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            _end(child)


def _end(child: subprocess.Popen[str]) -> None:
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                continue  # what could not be written to a dead child does not matter
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
