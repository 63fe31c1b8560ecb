"""Parts from outside that the set-up installs. A missing one skips loudly here and fails where CI=true."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / ".peers"


def absent(what: str) -> NoReturn:
    message = f"{what} is not here: run `make setup-test`"
    if os.environ.get("CI") == "true":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def require_path(path: Path) -> Path:
    if not path.exists():
        absent(str(path.relative_to(ROOT)))
    return path


def require_command(name: str) -> str:
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        absent(f"the command {name}")
    return found


def kafka_classpath(version: str) -> str:
    """The class path of an Apache Kafka of this version (3.9.1 or 4.3.0), our Java programs included."""
    library = require_path(PEERS / f"kafka-{version}" / "lib")
    return f"{library}/*:{PEERS / 'java'}"


def run_kafka_class(
    version: str, name: str, *arguments: str, timeout: float = 100, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs one of Kafka's own programs to its end, with a small heap and a quick JVM start."""
    command = [
        require_command("java"), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
        "-cp", kafka_classpath(version), name, *arguments,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, input=stdin, check=False)
