"""Several brokers as real processes on one ZooKeeper, and what is asked of them from outside."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from confluent_kafka.admin import AdminClient, NewTopic, PartitionMetadata

from support.broker import OttlaProcess
from support.cuttable_proxy import CuttableProxy
from support.eventually import eventually
from support.zookeepers import ZooKeeperProcess, embedded_server

T = TypeVar("T")
MakeBroker = Callable[[Path, Mapping[str, str]], OttlaProcess]

SESSION_TIMEOUT_MS = 3000
LAG_TIME_MAX_MS = 5000
CLUSTER_PROPERTIES = {
    "zookeeper.session.timeout.ms": str(SESSION_TIMEOUT_MS),
    "offsets.topic.replication.factor": "3",
    "min.insync.replicas": "2",
    "default.replication.factor": "3",
    "replica.lag.time.max.ms": str(LAG_TIME_MAX_MS),
    "controlled.shutdown.retry.backoff.ms": "500",
    "ottla.metrics.port": "-1",
}


class Cluster:
    def __init__(
        self,
        directory: Path,
        zookeeper: ZooKeeperProcess,
        count: int,
        properties: Mapping[str, str],
        zookeeper_addresses: Mapping[int, str],
        make_broker: MakeBroker = OttlaProcess,
    ) -> None:
        self.zookeeper = zookeeper
        self.brokers: dict[int, OttlaProcess] = {
            broker_id: make_broker(
                directory / f"broker{broker_id}",
                CLUSTER_PROPERTIES
                | {
                    "broker.id": str(broker_id),
                    "zookeeper.connect": zookeeper_addresses.get(broker_id, zookeeper.address),
                }
                | dict(properties),
            )
            for broker_id in range(count)
        }
        self.bootstrap = ",".join(broker.address for broker in self.brokers.values())

    def start(self) -> None:
        for broker in self.brokers.values():
            broker.launch()
        for broker in self.brokers.values():
            broker.await_ready()
        self.admin = AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})
        eventually(lambda: len(self.admin.list_topics(timeout=10).brokers) == len(self.brokers))

    def stop(self) -> None:
        for broker in self.brokers.values():
            if broker.is_running:
                broker.resume()
                broker.kill()

    def create_topic(self, name: str, partitions: int = 1, replicas: int | None = None, **configs: str) -> None:
        config = {key.replace("_", "."): value for key, value in configs.items()}
        new = NewTopic(name, partitions, replicas or len(self.brokers), config=config)
        self.admin.create_topics([new])[name].result(30)
        self.await_in_sync(name)

    def partition(self, topic: str, index: int = 0) -> PartitionMetadata:
        """Once the broker that is asked has heard of it."""
        return eventually(lambda: self.admin.list_topics(topic, timeout=30).topics[topic].partitions.get(index))

    def leader(self, topic: str, index: int = 0) -> int:
        return int(eventually(lambda: self._leader(topic, index) + 1)) - 1

    def _leader(self, topic: str, index: int) -> int:
        try:
            return int(self.partition(topic, index).leader)
        except Exception:  # noqa: BLE001 - every broker that was asked may be the one that is gone
            return -1

    def controller(self) -> int:
        return int(self.admin.list_topics(timeout=30).controller_id)

    def await_in_sync(self, topic: str, timeout_s: float = 60) -> None:
        def in_sync() -> bool:
            try:
                found = self.admin.list_topics(topic, timeout=10).topics[topic].partitions.values()
            except Exception:  # noqa: BLE001 - asked again
                return False
            return bool(found) and all(len(p.isrs) == len(p.replicas) and p.leader >= 0 for p in found)

        eventually(in_sync, timeout_s)

    def other_than(self, broker_id: int) -> int:
        return next(other for other in self.brokers if other != broker_id)

    def restart(self, broker_id: int) -> None:
        self.brokers[broker_id].start()

    def kill_and_restart(self, broker_id: int, *, down_s: float) -> None:
        """kill -9, and a new process after this time."""
        self.brokers[broker_id].kill()
        deadline = time.monotonic() + down_s
        while time.monotonic() < deadline:
            time.sleep(0.05)
        self.restart(broker_id)


class ZooKeeperLinks:
    """A proxy before ZooKeeper for each broker, on a thread of its own: each can be frozen alone."""

    def __init__(self, zookeeper_address: str, count: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._proxies = {number: self._call(self._open(zookeeper_address)) for number in range(count)}
        self.addresses = {number: address for number, (_, address) in self._proxies.items()}

    async def _open(self, target: str) -> tuple[CuttableProxy, str]:
        proxy = CuttableProxy(target)
        return proxy, await proxy.start()

    def _call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    def freeze(self, broker_id: int) -> None:
        self._loop.call_soon_threadsafe(self._proxies[broker_id][0].freeze)

    def heal(self, broker_id: int) -> None:
        self._loop.call_soon_threadsafe(self._proxies[broker_id][0].heal)

    def close(self) -> None:
        for proxy, _ in self._proxies.values():
            self._call(proxy.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()


@contextmanager
def cluster_in(
    directory: Path,
    count: int = 3,
    zookeeper: ZooKeeperProcess | None = None,
    make_broker: MakeBroker = OttlaProcess,
    **properties: str,
) -> Iterator[Cluster]:
    """Keyword arguments are broker properties with `_` for `.`."""
    server = zookeeper or embedded_server(directory / "zookeeper")
    server.start()
    named = {key.replace("_", "."): value for key, value in properties.items()}
    with running_cluster(Cluster(directory, server, count, named, {}, make_broker), server) as cluster:
        yield cluster


@contextmanager
def cluster_with_links(directory: Path, count: int = 3) -> Iterator[tuple[Cluster, ZooKeeperLinks]]:
    """A cluster whose brokers can be cut from ZooKeeper, and from nothing else."""
    server = embedded_server(directory / "zookeeper")
    server.start()
    links = ZooKeeperLinks(server.address, count)
    try:
        with running_cluster(Cluster(directory, server, count, {}, links.addresses), server) as cluster:
            yield cluster, links
    finally:
        links.close()


@contextmanager
def running_cluster(cluster: Cluster, server: ZooKeeperProcess) -> Iterator[Cluster]:
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        server.kill()
