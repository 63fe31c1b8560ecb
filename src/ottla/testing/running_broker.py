"""One broker of an EmbeddedBroker: on the event loop of its thread, or as a process of its own.

Both keep their port when they are started again. A process ends when the pipe to its standard input closes, so none is
left behind by a test run that is killed.
"""

import json
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO

from ottla.broker.broker import Broker
from ottla.clients.loop_thread import LoopThread
from ottla.config import BrokerConfig
from ottla.errors import OttlaError
from ottla.testing.properties import listener_at

STOP_SECONDS_MAX = 30


class BrokerDidNotStartError(OttlaError):
    """The process ended before it was up. The message has its last log lines."""


class RunningBroker(ABC):
    """`start` and `stop` may be called in turn, as often as one likes: port and data stay."""

    def __init__(self, broker_id: int, properties: dict[str, str]) -> None:
        self.broker_id = broker_id
        self.properties = properties
        self.address = ""

    @property
    @abstractmethod
    def is_running(self) -> bool: ...

    def start(self) -> None:
        """Returns when the broker answers requests."""
        if not self.is_running:
            self.address = self._start()
            self.properties["listeners"] = listener_at(self.address)

    @abstractmethod
    def _start(self) -> str: ...

    @abstractmethod
    def stop(self) -> None:
        """A clean stop, as SIGTERM makes it."""

    @abstractmethod
    def kill(self) -> None:
        """An end without warning, as kill -9 makes it; only for a broker that is a process."""


class ThreadBroker(RunningBroker):
    """In this process, on the event loop of a thread."""

    def __init__(self, broker_id: int, properties: dict[str, str], thread: LoopThread) -> None:
        super().__init__(broker_id, properties)
        self._thread = thread
        self.broker: Broker | None = None

    @property
    def is_running(self) -> bool:
        return self.broker is not None

    def _start(self) -> str:
        return self._thread.run(self._start_on_loop(BrokerConfig.load(self.properties)))

    async def _start_on_loop(self, config: BrokerConfig) -> str:
        broker = Broker(config)
        try:
            await broker.start()
        except BaseException:
            await broker.stop()
            raise
        self.broker = broker
        return broker.address

    def stop(self) -> None:
        broker, self.broker = self.broker, None
        if broker is not None:
            self._thread.run(broker.stop())

    def kill(self) -> None:
        raise OttlaError("a broker in this process cannot be killed: use EmbeddedBroker(process=True)")


class ProcessBroker(RunningBroker):
    """A process of its own (`ottla.testing.child`); its log lines go to a file."""

    def __init__(self, broker_id: int, properties: dict[str, str], directory: Path) -> None:
        super().__init__(broker_id, properties)
        self.log_path = directory / f"broker-{broker_id}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None, "the broker is not running"
        return self._process.pid

    def _start(self) -> str:
        command = [sys.executable, "-m", "ottla.testing.child"]
        with self.log_path.open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        stdin = _pipe(self._process.stdin)
        stdin.write(json.dumps(self.properties).encode() + b"\n")
        stdin.flush()
        address = _pipe(self._process.stdout).readline().decode().strip()
        if not address:
            self.stop()
            raise BrokerDidNotStartError(f"broker {self.broker_id} did not start:\n{self._last_lines()}")
        return address

    def stop(self) -> None:
        if self._process is not None:
            _pipe(self._process.stdin).close()
            self._wait(self._process)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            _pipe(self._process.stdin).close()
            self._wait(self._process)

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = None
        try:
            process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        _pipe(process.stdout).close()

    def _last_lines(self) -> str:
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-20:])


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None, "both ends of the process are pipes"
    return stream
