"""What the numbers were taken on."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import confluent_kafka


def describe_machine() -> dict[str, str]:
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": f"{os.cpu_count()} cores, {_cpu_model()}",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB",
        "system": f"Linux {platform.release()}, {platform.machine()}",
        "python": platform.python_version(),
        "java": _first_line(["java", "-version"]),
        "librdkafka": confluent_kafka.libversion()[0],
        "commit": _first_line(["git", "rev-parse", "--short", "HEAD"]),
        "load average at the start": " ".join(f"{load:.2f}" for load in os.getloadavg()),
    }


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _first_line(command: list[str]) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.splitlines()[0] if done.stdout else ""
