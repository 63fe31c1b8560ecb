"""CPU and memory of processes, and what a stretch of work has cost both sides.

CPU is the process's CPU clock: the count behind utime and stime of /proc/PID/stat, all threads, those that have ended
included, but in nanoseconds where stat has ticks of 10 ms. Children are found in /proc and added.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_UTIME_FIELD = 11  # counted behind the command's closing parenthesis
CORE_IS_FULL = 0.9


def process_tree(pid: int) -> Iterator[int]:
    """The process and all its descendants."""
    yield pid
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            for child in (thread / "children").read_text().split():
                yield from process_tree(int(child))


def cpu_seconds(pid: int) -> float:
    """User and system time of a process and its children."""
    return sum(time.clock_gettime(_cpu_clock(process)) for process in process_tree(pid))


def _cpu_clock(pid: int) -> int:
    """The clock id of another process's CPU time, as clock_getcpuclockid(3) makes it."""
    return (~pid << 3) | 2


def rss_bytes(pid: int) -> int:
    """Resident memory of a process and its children."""
    return sum(_status_kb(process, "VmRSS") * 1024 for process in process_tree(pid))


def _status_kb(pid: int, field: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    return 0


def thread_seconds() -> dict[str, float]:
    """CPU of each thread of this process."""
    seconds = {}
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # ended before it was opened, or before read
            fields = (thread / "stat").read_text().rpartition(")")[2].split()
            seconds[thread.name] = sum(map(int, fields[_UTIME_FIELD : _UTIME_FIELD + 2])) / _TICKS_PER_SECOND
    return seconds


class Meter:
    """Around the measured stretch of a driver: `with Meter(broker_pid) as meter: ...`, then `meter.costs()`."""

    elapsed_s: float
    broker_cpu_s: float
    client_cpu_s: float
    client_busiest: float

    def __init__(self, broker_pid: int) -> None:
        self._pid = broker_pid

    def __enter__(self) -> "Meter":
        self._threads = thread_seconds()
        self._client = time.process_time()
        self._broker = cpu_seconds(self._pid)
        self._start = time.perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.elapsed_s = time.perf_counter() - self._start
        self.broker_cpu_s = cpu_seconds(self._pid) - self._broker
        self.client_cpu_s = time.process_time() - self._client
        busiest = max(used - self._threads.get(thread, 0.0) for thread, used in thread_seconds().items())
        self.client_busiest = busiest / self.elapsed_s

    def costs(self) -> dict[str, float]:
        """What every driver reports: `client_busiest` near 1 means that the client's core was the limit."""
        return {
            "elapsed_s": self.elapsed_s,
            "broker_cpu_s": self.broker_cpu_s,
            "client_cpu_s": self.client_cpu_s,
            "client_busiest": self.client_busiest,
        }


def summed(costs: list[dict[str, float]]) -> dict[str, float]:
    """The costs of several stretches as those of one."""
    total = {name: sum(cost[name] for cost in costs) for name in costs[0]}
    busy_s = sum(cost["client_busiest"] * cost["elapsed_s"] for cost in costs)
    return total | {"client_busiest": busy_s / total["elapsed_s"]}
