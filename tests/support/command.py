"""The `ottla` command as a process."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

TIMEOUT_S = 60


class Ottla:
    """Runs commands against one broker, as a shell would: everything in pipes."""

    def __init__(self, bootstrap_server: str = "", environment: Mapping[str, str] | None = None) -> None:
        self.bootstrap_server = bootstrap_server
        clean = {key: value for key, value in os.environ.items() if not key.startswith("OTTLA_")}
        self.environment = clean | {"OTTLA_CONFIG": os.devnull} | dict(environment or {})
        if bootstrap_server:
            self.environment["OTTLA_BOOTSTRAP_SERVER"] = bootstrap_server

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "ottla", *arguments]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.Popen(command, env=self.environment, text=True, **pipes)

    def run(self, *arguments: str, stdin: str = "", cwd: str | None = None) -> "subprocess.CompletedProcess[str]":
        """To the end, whatever that is."""
        command = [sys.executable, "-m", "ottla", *arguments]
        return subprocess.run(
            command, env=self.environment, input=stdin, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
            cwd=cwd,
        )  # fmt: skip

    def __call__(self, *arguments: str, stdin: str = "") -> str:
        """What it prints; it must succeed."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def rows(self, *arguments: str) -> list[dict[str, Any]]:
        """What it prints with --format json."""
        rows: list[dict[str, Any]] = json.loads(self(*arguments, "--format", "json"))
        return rows

    def fails(self, *arguments: str, code: int = 1, stdin: str = "") -> str:
        """What it says when it ends with this code."""
        done = self.run(*arguments, stdin=stdin)
        assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stderr
