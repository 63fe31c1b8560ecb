"""Starts Spark's JVM and a context in it, so that Ctrl-C meanwhile ends both, at once and without a word.

pyspark starts the JVM as a child that nobody can reach before it has connected back: interrupted before that, it stays
for ever. py4j, interrupted in the middle of a call, logs a traceback. So a thread of its own starts them, and the one
that waits for it may be interrupted: it lets the JVM come up, which takes a second or two, and kills it.

What the JVM has to say goes to a file, not to the terminal; it is shown where Spark cannot start.
"""

import logging
import sys
import threading
from pathlib import Path
from typing import Any

_POLL_SECONDS = 0.2
_KILLED_WITHIN_SECONDS = 5.0


class ContextStart:
    def __init__(self, conf: Any, log: Path) -> None:
        self._conf = conf
        self._log = log
        self._gateway: Any = None
        self._context: Any = None
        self._error: Exception | None = None
        self._has_jvm = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ottla-load-start", daemon=True)

    def context(self) -> Any:
        """The context, once it is up. KeyboardInterrupt leaves nothing behind."""
        _silence_py4j()
        self._thread.start()
        try:
            while self._thread.is_alive():
                self._thread.join(_POLL_SECONDS)
        except KeyboardInterrupt:
            self._abandon()
            raise
        if self._error is not None:
            sys.stderr.write(self._log.read_text(errors="replace"))
            raise self._error
        return self._context

    def _run(self) -> None:
        from pyspark import SparkContext
        from pyspark.java_gateway import launch_gateway

        try:
            with self._log.open("ab") as log:
                self._gateway = launch_gateway(self._conf, popen_kwargs={"stderr": log})  # type: ignore[no-untyped-call]
            self._has_jvm.set()
            self._context = SparkContext(conf=self._conf, gateway=self._gateway)
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            self._error = error
        finally:
            self._has_jvm.set()

    def _abandon(self) -> None:
        """A second interrupt does not wait for the JVM."""
        self._has_jvm.wait()
        if self._gateway is not None:
            self._gateway.proc.kill()
            self._gateway.proc.wait()
        self._thread.join(_KILLED_WITHIN_SECONDS)


def _silence_py4j() -> None:
    """It logs a traceback for a call that is interrupted or whose JVM goes, and raises it as well."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_not_of_py4j)


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Some of it goes to the root logger."""
    return "py4j" not in record.pathname
