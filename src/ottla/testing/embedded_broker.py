"""EmbeddedBroker: a Kafka broker for tests, up in a fraction of a second and gone with the block that made it.

ZooKeeper runs in this process, on an event loop in a thread of its own; so do the brokers, unless `process=True` makes
each of them a process, which can be killed. Everything lies in one directory, a temporary one unless it is given.
"""

import asyncio
import contextlib
import tempfile
import time
import warnings
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from ottla.clients.admin.admin import Admin
from ottla.clients.loop_thread import LoopThread
from ottla.config.broker_config import unknown_keys
from ottla.coordination.embedded.server import EmbeddedZooKeeper
from ottla.coordination.embedded.server_config import ServerConfig
from ottla.errors import ConfigError
from ottla.testing.properties import broker_properties
from ottla.testing.running_broker import BrokerDidNotStartError, ProcessBroker, RunningBroker, ThreadBroker

_ZOOKEEPER_TICK_MS = 1000
_CLUSTER_SECONDS_MAX = 30
_CLUSTER_POLL_SECONDS = 0.02


class EmbeddedBroker:
    """A broker for tests::

        with EmbeddedBroker() as broker:
            producer = AnyKafkaProducer(bootstrap_servers=broker.bootstrap_servers)

    `async with` works as well; the broker has a loop of its own either way.

    brokers       how many; they form one cluster
    process       each broker as a process of its own, so that it can be killed and leaves the interpreter to the test
    properties    Kafka's configuration keys, over those that suit tests
    directory     where data goes and stays; without it, a temporary directory that is removed at the end
    """

    def __init__(
        self,
        *,
        brokers: int = 1,
        process: bool = False,
        properties: Mapping[str, object] | None = None,
        directory: str | Path | None = None,
    ) -> None:
        if brokers < 1:
            raise ConfigError(f"a cluster has at least one broker, not {brokers}")
        self._count = brokers
        self._as_process = process
        self._overrides = dict(properties or {})
        for unknown in unknown_keys(self._overrides):
            warnings.warn(f"EmbeddedBroker: {unknown}", stacklevel=2)
        self._directory = directory
        self._stack = contextlib.ExitStack()
        self.brokers: list[RunningBroker] = []
        self.zookeeper_connect = ""

    @property
    def bootstrap_servers(self) -> str:
        """What a client connects to: host:port of every broker, with commas between them."""
        return ",".join(broker.address for broker in self.brokers)

    @property
    def address(self) -> str:
        """host:port of the first broker."""
        return self.brokers[0].address

    def get_bootstrap_server(self) -> str:
        """The same as `bootstrap_servers`, under the name that testcontainers' KafkaContainer has for it."""
        return self.bootstrap_servers

    def create_topic(
        self, name: str, partitions: int = 1, replication_factor: int = 1, configs: Mapping[str, str] | None = None
    ) -> str:
        """Create a topic; returns its name."""
        with Admin(self.bootstrap_servers) as admin:
            admin.create_topic(name, partitions, replication_factor, configs)
        return name

    def start(self) -> Self:
        """Returns when every broker answers; raises what kept one from starting, with nothing left running."""
        with contextlib.ExitStack() as undo:
            undo.callback(self.stop)
            self._start()
            undo.pop_all()
        return self

    def stop(self) -> None:
        """Stop the brokers, the last one first, then ZooKeeper; the temporary directory goes. May be called twice."""
        self._stack.close()
        self.brokers.clear()

    def _start(self) -> None:
        directory = Path(self._directory or self._stack.enter_context(_temporary_directory()))
        thread = LoopThread("ottla-embedded-broker")
        self._stack.callback(thread.stop)
        self.zookeeper_connect = thread.run(self._start_zookeeper(directory, thread))
        brokers = [self._make(broker_id, directory, thread) for broker_id in range(self._count)]
        for broker in brokers:
            self._stack.callback(broker.stop)
        with ThreadPoolExecutor(self._count) as pool:
            list(pool.map(RunningBroker.start, brokers))
        self.brokers = brokers
        if self._count > 1:
            self._await_cluster()

    def _await_cluster(self) -> None:
        """Until every broker knows all of them and who the controller is."""
        for broker in self.brokers:
            with Admin(broker.address) as admin:
                deadline = time.monotonic() + _CLUSTER_SECONDS_MAX
                while True:
                    cluster = admin.describe_cluster()
                    if len(cluster.brokers) == self._count and cluster.controller_id >= 0:
                        break
                    if time.monotonic() > deadline:
                        raise BrokerDidNotStartError(f"broker {broker.broker_id} knows only {cluster.brokers}")
                    time.sleep(_CLUSTER_POLL_SECONDS)

    async def _start_zookeeper(self, directory: Path, thread: LoopThread) -> str:
        config = ServerConfig(
            data_dir=str(directory / "zookeeper"),
            client_port=0,
            tick_time_ms=_ZOOKEEPER_TICK_MS,
            max_client_connections=0,
            force_sync=False,  # no test outlives a power cut
        )
        server = EmbeddedZooKeeper(config)
        await server.start()
        self._stack.callback(lambda: thread.run(server.stop()))
        return f"{server.host}:{server.port}"

    def _make(self, broker_id: int, directory: Path, thread: LoopThread) -> RunningBroker:
        properties = broker_properties(broker_id, directory, self.zookeeper_connect, self._overrides)
        if self._as_process:
            return ProcessBroker(broker_id, properties, directory)
        return ThreadBroker(broker_id, properties, thread)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)


def _temporary_directory() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="ottla-")
