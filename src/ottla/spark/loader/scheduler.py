"""Spark as the scheduler: it places tasks on cores and machines and tries failed ones again. Records never pass
through the JVM.

`local[*]` does not retry tasks, `local[*,4]` does: a local master without a number of failures gets one. Executors of
another machine get this package as an archive (`spark.executor_package`).
"""

import re
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from ottla.errors import OperatorError, OttlaError
from ottla.spark.executor_package import build_archive, executor_settings
from ottla.spark.interpreter import use_this_python
from ottla.spark.java import ensure_java
from ottla.spark.loader.context_start import ContextStart

T = TypeVar("T")
R = TypeVar("R")
TASK_FAILURES_MAX = 4
# The JVM only schedules: it is sooner up, and takes less from the tasks, without its second compiler.
JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_POLL_SECONDS = 0.2


class TaskFailedError(OttlaError):
    """A task failed as often as it may."""


class Scheduler(Protocol):
    def cores(self) -> int:
        """How many tasks run at once."""

    def run(self, function: Callable[[T], R], tasks: Sequence[T], on_rows: Callable[[int], None]) -> list[R]:
        """The results in the order of the tasks. `on_rows` hears how many rows were done since it was last called."""


class SparkScheduler:
    """Starts Spark when the first tasks come, unless it is given a context, which it leaves running."""

    def __init__(
        self, master: str = "local[*]", settings: Mapping[str, str] | None = None, context: Any = None
    ) -> None:
        self._master = with_retries(master)
        self._settings = dict(settings or {})
        self._given = context
        self._context: Any = context
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def cores(self) -> int:
        return int(self._spark().defaultParallelism)

    def run(self, function: Callable[[T], R], tasks: Sequence[T], on_rows: Callable[[int], None]) -> list[R]:
        context = self._spark()
        counter = context.accumulator(0)
        rows = context.parallelize(list(tasks), len(tasks)).map(partial(_run_counted, function, counter))
        job = _Job(rows)
        try:
            results = job.wait(lambda: int(counter.value), on_rows)
        except KeyboardInterrupt:
            context.cancelAllJobs()
            raise
        for result in results:
            if isinstance(result, _Refused):
                raise result.error
        return results

    def close(self) -> None:
        if self._context is not None and self._given is None:
            self._context.stop()
            self._context = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _spark(self) -> Any:
        if self._context is None:
            self._context = self._start()
        return self._context

    def _start(self) -> Any:
        ensure_java()
        if self._master.startswith("local"):  # elsewhere it is Spark's own default, or what the cluster is set to
            use_this_python()
        from pyspark import SparkConf

        conf = SparkConf().setMaster(self._master).setAppName("ottla load")
        for key, value in (self._defaults() | self._settings).items():
            conf.set(key, value)
        return ContextStart(conf, self._log_path()).context()

    def _log_path(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ottla-load-")
        return Path(self._folder.name) / "spark.log"

    def _defaults(self) -> dict[str, str]:
        defaults = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.task.maxFailures": str(TASK_FAILURES_MAX),
            "spark.driver.extraJavaOptions": JVM_OPTIONS,
        }
        if self._master.startswith("local"):
            return defaults | {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        return defaults | executor_settings(build_archive(self._log_path().with_name("ottla.zip")))


def with_retries(master: str) -> str:
    """local[2] as local[2,4]."""
    found = re.fullmatch(r"local(?:\[([^,\]]+)\])?", master)
    return f"local[{found[1] or 1},{TASK_FAILURES_MAX}]" if found else master


class _Refused(NamedTuple):
    """What a person has to put right, no further try of the task can: it comes back as a result."""

    error: OperatorError


class _Job:
    """Runs in a thread, so that the one that waits can tell how far it is, and can be interrupted."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows
        self._result: list[Any] = []
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="ottla-load-job", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        try:
            self._result = self._rows.collect()
        except Py4JJavaError as error:
            self._error = TaskFailedError(reason_of(str(error.java_exception.getMessage())))
        except PySparkException as error:
            self._error = TaskFailedError(reason_of(str(error)))
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            self._error = error

    def wait(self, count: Callable[[], int], on_rows: Callable[[int], None]) -> list[Any]:
        told, running = 0, True
        while running:
            self._thread.join(_POLL_SECONDS)
            running = self._thread.is_alive()
            rows = count()
            if rows > told:
                on_rows(rows - told)
                told = rows
        if self._error is not None:
            raise self._error
        return self._result


def reason_of(message: str) -> str:
    """What a task said, out of what Spark says of it: the last line of Python's traceback, where there is one."""
    lines = [line.strip() for line in re.split("Driver stacktrace|JVM stacktrace", message)[0].splitlines()]
    spoken = [line for line in lines if line and not line.startswith(("at ", "SQLSTATE"))]
    return f"a task failed {TASK_FAILURES_MAX} times: {spoken[-1] if spoken else message}"


def _run_counted(function: Callable[[T], R], counter: Any, task: T) -> R | _Refused:
    try:
        result = function(task)
    except OperatorError as error:
        return _Refused(error)
    counter.add(getattr(result, "rows", 0))
    return result
