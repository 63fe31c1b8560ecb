"""What a person waits for: `ottla --help`, and what importing the broker costs. Ottla only."""

import os
import resource
import subprocess
import sys
import time

from bench.brokers import BrokerProcess, Ottla, environment
from bench.measures import Case, Effort, Metric, Must, Sample

RUNS = 5


def _run(command: list[str]) -> tuple[float, float]:
    """Seconds and CPU seconds of a command, the quickest of several runs."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment())
        elapsed = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append((elapsed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(elapsed for elapsed, _cpu in times), min(cpu for _elapsed, cpu in times)


def command(broker: BrokerProcess, effort: Effort) -> Sample:
    ottla = os.path.join(os.path.dirname(sys.executable), "ottla")
    help_s, _ = _run([ottla, "--help"])
    _, bare_cpu = _run([sys.executable, "-c", "pass"])
    _, import_cpu = _run([sys.executable, "-c", "import ottla.broker.broker"])
    return {"help_ms": help_s * 1000, "import_ms": (import_cpu - bare_cpu) * 1000}


COMMAND_CASES = (
    Case(
        "command",
        "process",
        "ottla command",
        command,
        (
            Metric("help_ms", "ms", Must(at_most=150, of_ratio=False), "--help"),
            Metric("import_ms", "ms", Must(at_most=120, of_ratio=False), "import ottla.broker, CPU over bare Python"),
        ),
        brokers=(Ottla,),
        first_pass_discarded=False,
        rounds=lambda effort: 1,
    ),
)
