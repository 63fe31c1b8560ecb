"""Kafka's own Java clients behind a pipe (tests/peers/java/Driver.java): one JSON command per line, one answer back."""

import json
import subprocess
from typing import Any

from support.peers import PEERS, kafka_classpath, require_command, require_path


class JavaClient:
    """A running driver. Usable as a context manager."""

    def __init__(self, version: str, bootstrap: str) -> None:
        require_path(PEERS / "java" / "Driver.class")
        self._bootstrap = bootstrap
        command = [
            require_command("java"), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-cp", kafka_classpath(version), "Driver",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, op: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a command. An error of the Java client is an AssertionError here."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"op": op, "bootstrap": self._bootstrap, **arguments}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer

    def __enter__(self) -> "JavaClient":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.kill()
        self._process.wait(20)
        self._process.stdin.close()
        self._process.stdout.close()
