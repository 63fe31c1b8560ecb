"""From the start of the process to the first acknowledged record, and memory: idle and after everything else here."""

import shutil
import tempfile
import time
from pathlib import Path

from bench.brokers import BrokerProcess
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.processes import cpu_seconds, rss_bytes

IDLE_S = 3.0
MB = 1_000_000


def start(broker: BrokerProcess, effort: Effort) -> Sample:
    """A second broker of the same kind, in a folder of its own; Kafka's is formatted before the clock starts."""
    folder = Path(tempfile.mkdtemp(prefix="bench-start-", dir=broker.folder.parent))
    fresh = type(broker)(folder / broker.name)
    broker.pause()
    try:
        seconds = fresh.start()
        started_cpu = cpu_seconds(fresh.pid)
        time.sleep(IDLE_S)
        idle_cpu = cpu_seconds(fresh.pid) - started_cpu
        rss = rss_bytes(fresh.pid)
    finally:
        broker.resume()
        fresh.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "start_s": seconds,
        "start_cpu_s": started_cpu,
        "idle_percent": 100 * idle_cpu / IDLE_S,
        "rss_mb": rss / MB,
    }


def loaded_memory(broker: BrokerProcess, effort: Effort) -> Sample:
    return {"rss_mb": rss_bytes(broker.pid) / MB}


START_CASES = (
    Case(
        "start",
        "process",
        "start to first acknowledged record",
        start,
        (
            Metric("start_s", "s", Must(at_most=0.5, of_ratio=False)),
            Metric("start_cpu_s", "s", label="CPU"),
            Metric("rss_mb", "MB", Must(at_most=60, of_ratio=False), "then idle, RSS"),
            Metric("idle_percent", "% of a core", label="then idle, CPU"),
        ),
        first_pass_discarded=False,
        rounds=lambda effort: effort.starts,
    ),
)
LOADED_CASES = (
    Case(
        "loaded-memory",
        "process",
        "after all other cases, RSS",
        loaded_memory,
        (Metric("rss_mb", "MB", Must(at_most=150, of_ratio=False)),),
        first_pass_discarded=False,
        rounds=lambda effort: 1,
    ),
)
