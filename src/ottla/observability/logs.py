"""Logs that an operator can read: one line per event, in the form that Kafka's own have.

    [2026-11-15 09:52:31,004] WARNING 127.0.0.1:50122: frame of 2147483647 bytes is over the bound (ottla.transport)

What comes from outside may stand in a message, so control characters are escaped: nobody can forge a line or drive a
terminal. A traceback follows its line, indented. What a peer can cause is logged through RateLimitedLogger: the first
event of a kind at once, then at most one per interval with the number of those left out.
"""

import logging
import sys
from typing import TextIO

from ottla.clock import Clock, SystemClock
from ottla.observability.instruments import Counter

KINDS_MAX = 1000

_CONTROL = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_CONTROL |= {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def printable(text: str) -> str:
    """The text with control characters and line separators escaped."""
    return text if text.isascii() and text.isprintable() else text.translate(_CONTROL)


class LineFormatter(logging.Formatter):
    """Kafka's `[time] LEVEL message (logger)`, with control characters escaped."""

    def format(self, record: logging.LogRecord) -> str:
        message = printable(record.getMessage())
        line = f"[{self.formatTime(record)}] {record.levelname} {message} ({record.name})"
        if record.exc_info:
            traceback = self.formatException(record.exc_info)
            line += "".join(f"\n    {printable(part)}" for part in traceback.split("\n"))
        return line


def setup_logging(level: str = "INFO", stream: TextIO | None = None) -> logging.Handler:
    """Log everything of Ottla's from this level on to a stream (standard error). Other libraries: warnings only."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("ottla").setLevel(level)
    return handler


class _Kind:
    __slots__ = ("logged_at", "suppressed")

    def __init__(self, logged_at: float) -> None:
        self.logged_at = logged_at
        self.suppressed = 0


class RateLimitedLogger:
    """One line per kind of event and interval. A kind is a short text of ours, never one that a peer chose."""

    def __init__(
        self,
        logger: logging.Logger,
        clock: Clock | None = None,
        interval_s: float = 10.0,
        suppressed: Counter | None = None,
    ) -> None:
        self._logger = logger
        self._clock = clock or SystemClock()
        self._interval_s = interval_s
        self._kinds: dict[str, _Kind] = {}
        self._suppressed = suppressed or Counter()

    def debug(self, kind: str, message: str, *args: object) -> None:
        self.log(logging.DEBUG, kind, message, *args)

    def info(self, kind: str, message: str, *args: object) -> None:
        self.log(logging.INFO, kind, message, *args)

    def warning(self, kind: str, message: str, *args: object) -> None:
        self.log(logging.WARNING, kind, message, *args)

    def error(self, kind: str, message: str, *args: object) -> None:
        self.log(logging.ERROR, kind, message, *args)

    def exception(self, kind: str, message: str, *args: object) -> None:
        """An error with the traceback of the exception being handled."""
        self.log(logging.ERROR, kind, message, *args, exc_info=True)

    def log(self, level: int, kind: str, message: str, *args: object, exc_info: bool = False) -> None:
        if not self._logger.isEnabledFor(level):
            return
        left_out = self._admit(kind)
        if left_out is None:
            return
        if left_out:
            message, args = f"{message} (%d more suppressed)", (*args, left_out)
        self._logger.log(level, message, *args, exc_info=exc_info)

    def _admit(self, kind: str) -> int | None:
        """How many were left out since the last line of this kind, or None when this one is to be left out."""
        now = self._clock.monotonic()
        known = self._kinds.get(kind)
        if known is None:
            assert len(self._kinds) < KINDS_MAX, "kinds must not come from outside"
            self._kinds[kind] = _Kind(now)
            return 0
        if now - known.logged_at < self._interval_s:
            known.suppressed += 1
            self._suppressed.value += 1
            return None
        left_out, known.suppressed, known.logged_at = known.suppressed, 0, now
        return left_out
