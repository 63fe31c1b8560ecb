"""The `ottla` command, as a process or, many times quicker, in this one."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple
from unittest import mock

TIMEOUT_S = 60


class Ended(NamedTuple):
    code: int
    stdout: str
    stderr: str


def run_here(*arguments: str, stdin: str = "", environment: Mapping[str, str] | None = None) -> Ended:
    """The command in this process, to its end: many times quicker than a process of its own."""
    from ottla.cli.main import main

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    code: Any = 0
    with (
        mock.patch.object(sys, "argv", ["ottla", *arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")),
        mock.patch.dict(os.environ, environment or {"OTTLA_CONFIG": os.devnull}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    return Ended(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.detach()
    assert isinstance(data, io.BytesIO)
    return data.getvalue().decode()


def _be_interruptible() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would its children: tests may run there."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Ottla:
    """Runs commands against one broker, as a shell would: everything in pipes.

    Called, it runs the command in this process, or with `as_process` in one of its own; `start` and `run` always do.
    """

    def __init__(
        self, bootstrap_server: str = "", environment: Mapping[str, str] | None = None, *, as_process: bool = False
    ) -> None:
        self.bootstrap_server = bootstrap_server
        self._as_process = as_process
        clean = {key: value for key, value in os.environ.items() if not key.startswith("OTTLA_")}
        self.environment = clean | {"OTTLA_CONFIG": os.devnull} | dict(environment or {})
        if bootstrap_server:
            self.environment["OTTLA_BOOTSTRAP_SERVER"] = bootstrap_server

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[Any]":
        command = [sys.executable, "-m", "ottla", *arguments]
        settings = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=self.environment, preexec_fn=_be_interruptible, **(settings | options))

    def run(self, *arguments: str, stdin: str = "", cwd: str | None = None) -> "subprocess.CompletedProcess[str]":
        """To the end, whatever that is."""
        command = [sys.executable, "-m", "ottla", *arguments]
        return subprocess.run(
            command, env=self.environment, input=stdin, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
            cwd=cwd,
        )  # fmt: skip

    def __call__(self, *arguments: str, stdin: str = "") -> str:
        """What it prints; it must succeed."""
        done = self._end(*arguments, stdin=stdin)
        assert done.code == 0, f"{arguments}: {done.code}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _end(self, *arguments: str, stdin: str) -> Ended:
        if not self._as_process:
            return run_here(*arguments, stdin=stdin, environment=self.environment)
        done = self.run(*arguments, stdin=stdin)
        return Ended(done.returncode, done.stdout, done.stderr)

    def rows(self, *arguments: str) -> list[dict[str, Any]]:
        """What it prints with --format json. Run in this process, which is quicker."""
        ended = run_here(*arguments, "--format", "json", environment=self.environment)
        assert ended.code == 0, f"{arguments}: {ended}"
        rows: list[dict[str, Any]] = json.loads(ended.stdout)
        return rows

    def fields(self, *arguments: str) -> dict[str, Any]:
        """What it prints with --format json, where that is one thing."""
        found: Any = self.rows(*arguments)
        assert isinstance(found, dict)
        return found

    def fails(self, *arguments: str, code: int = 1, stdin: str = "") -> str:
        """What it says when it ends with this code."""
        done = self._end(*arguments, stdin=stdin)
        assert done.code == code, f"{arguments}: {done.code}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stderr
