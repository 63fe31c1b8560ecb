"""A client in a process of its own: `drive("bench.raw_driver:pipelined", port=..., ...)` returns what it measured.

The function gets the parameters by keyword, as JSON, and returns a dict of numbers. `begin` starts one without waiting,
for cases with two clients: the first line that it prints says that it is ready.
"""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
READY = "ready"


class Driver:
    """A client that is running."""

    def __init__(self, function: str, parameters: dict[str, Any]) -> None:
        command = [sys.executable, "-m", "bench.driver", function, json.dumps(parameters)]
        self._function = function
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_ready(self) -> None:
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != READY:
            raise RuntimeError(f"{self._function} failed before it was ready")

    def result(self) -> dict[str, float]:
        output, _ = self._process.communicate()
        if self._process.returncode:
            raise RuntimeError(f"{self._function} ended with {self._process.returncode}")
        measured: dict[str, float] = json.loads(output.splitlines()[-1])
        return measured


def begin(function: str, **parameters: Any) -> Driver:
    return Driver(function, parameters)


def drive(function: str, **parameters: Any) -> dict[str, float]:
    return begin(function, **parameters).result()


def say_ready() -> None:
    """Called in the client."""
    print(READY, flush=True)


def _main() -> None:
    module, _, name = sys.argv[1].partition(":")
    result = getattr(importlib.import_module(module), name)(**json.loads(sys.argv[2]))
    print(json.dumps(result), flush=True)


if __name__ == "__main__":
    _main()
