"""Clients in a process of their own: one JSON command per line in, one JSON answer per line out, bytes as hex.

One process serves a whole test session, since a JVM takes a second to start. If a call is broken off (a test's time
limit), the process is ended and the next call starts another, so that no answer is ever taken for another one's.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.drivers.records import CONSUME_SECONDS_MAX, ClientRecord, Driver, DriverError
from support.peers import PEERS, ROOT, kafka_classpath, require_command, require_path

PYTHON_PROGRAMS = ROOT / "tests" / "peers" / "python"


class PipeDriver(Driver):
    def __init__(self, name: str, settings: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._settings = dict(settings or {})
        self._process: subprocess.Popen[str] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    def produce(
        self,
        address: str,
        topic: str,
        records: Sequence[ClientRecord],
        *,
        codec: str = "none",
        acks: str = "all",
        config: Mapping[str, str] | None = None,
    ) -> list[int]:
        settings = {"compression.type": codec, "acks": acks, **self._settings, **(config or {})}
        rows = [to_row(topic, record) for record in records]
        answer = self.call("produce", bootstrap=address, config=settings, records=rows)
        return [result["offset"] for result in answer["results"]]

    def consume(
        self,
        address: str,
        topic: str,
        starts: Mapping[int, int],
        count: int,
        *,
        timeout: float = CONSUME_SECONDS_MAX,
        config: Mapping[str, str] | None = None,
    ) -> list[ClientRecord]:
        answer = self.call(
            "consume",
            bootstrap=address,
            config={**self._settings, **(config or {})},
            partitions=[[topic, partition, offset] for partition, offset in starts.items()],
            count=count,
            timeout_ms=int(timeout * 1000),
        )
        return [from_row(row) for row in answer["records"]]

    def offset_at(self, address: str, topic: str, partition: int, at: str | int) -> int:
        answer = self.call(
            "offsets", bootstrap=address, config=self._settings, topic=topic, partition=partition, at=str(at)
        )
        offset: int = answer["offset"]
        return offset

    def call(self, op: str, **arguments: Any) -> dict[str, Any]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"op": op, **arguments}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BaseException:
            self.close()
            raise
        if not line:
            self.close()
            raise DriverError(f"{self.name} ended during {op}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise DriverError(answer["error"])
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self.command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=self.environment(),
            )
        return self._process


class JavaDriver(PipeDriver):
    """Kafka's own clients of one version, by tests/peers/java/Driver.java."""

    def __init__(self, version: str) -> None:
        super().__init__(f"java-{version}")
        self._version = version

    def command(self) -> list[str]:
        require_path(PEERS / "java" / "Driver.class")
        return [
            require_command("java"), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
            "-cp", kafka_classpath(self._version), "Driver",
        ]  # fmt: skip


class FranzDriver(PipeDriver):
    """franz-go, by tests/peers/go."""

    def command(self) -> list[str]:
        return [str(require_path(PEERS / "go" / "franz"))]


class PythonDriver(PipeDriver):
    """A Python client, by one of the programs in tests/peers/python; `library`: a folder that goes before the rest."""

    def __init__(
        self, name: str, program: str, library: Path | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(name, settings)
        self._program = PYTHON_PROGRAMS / program
        self._library = library

    def command(self) -> list[str]:
        if self._library is not None:
            require_path(self._library)
        return [sys.executable, "-W", "ignore", str(self._program)]

    def environment(self) -> dict[str, str]:
        return super().environment() | ({"PYTHONPATH": str(self._library)} if self._library else {})


def to_row(topic: str, record: ClientRecord) -> dict[str, Any]:
    return {
        "topic": topic,
        "partition": record.partition,
        "timestamp": record.timestamp,
        "key": to_hex(record.key),
        "value": to_hex(record.value),
        "headers": [[name, to_hex(value)] for name, value in record.headers],
    }


def from_row(row: dict[str, Any]) -> ClientRecord:
    headers = tuple((name, from_hex(value)) for name, value in row["headers"])
    return ClientRecord(
        from_hex(row["key"]), from_hex(row["value"]), headers, row["timestamp"], row["partition"], row["offset"]
    )


def to_hex(data: bytes | None) -> str | None:
    return None if data is None else data.hex()


def from_hex(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
