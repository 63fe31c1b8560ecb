"""Three Ottla brokers and a ZooKeeper as processes, for what a single broker cannot show."""

import contextlib
import logging
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from bench.brokers import environment
from bench.topics import free_port

BROKERS = 3
SESSION_TIMEOUT_MS = 6000
TIMEOUT_S = 120.0


class ClusterOfThree:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.zookeeper = f"127.0.0.1:{free_port()}"
        self.ports = [free_port() for _ in range(BROKERS)]
        self.bootstrap = ",".join(f"127.0.0.1:{port}" for port in self.ports)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        config = self.folder / "zoo.cfg"
        port = self.zookeeper.rpartition(":")[2]
        config.write_text(f"clientPort={port}\ndataDir={self.folder / 'zookeeper'}\ntickTime=500\n")
        self._launch("zookeeper", "-m", "ottla.coordination.embedded", str(config))
        for broker_id in range(BROKERS):
            self.start_broker(broker_id)
        self.admin = AdminClient(
            {"bootstrap.servers": self.bootstrap, "log_level": 0}, logger=logging.getLogger("bench")
        )
        until(lambda: len(self.admin.list_topics(timeout=TIMEOUT_S).brokers) == BROKERS)

    def start_broker(self, broker_id: int) -> None:
        settings = {
            "broker.id": str(broker_id),
            "listeners": f"PLAINTEXT://127.0.0.1:{self.ports[broker_id]}",
            "log.dirs": str(self.log_dir(broker_id)),
            "zookeeper.connect": self.zookeeper,
            "zookeeper.session.timeout.ms": str(SESSION_TIMEOUT_MS),
            "auto.leader.rebalance.enable": "false",
            "ottla.metrics.port": "-1",
        }
        overrides = [part for key, value in settings.items() for part in ("--override", f"{key}={value}")]
        self._launch(f"broker{broker_id}", "-m", "ottla", "start", *overrides)

    def _launch(self, name: str, *arguments: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [sys.executable, *arguments], cwd=self.folder, stdout=log, stderr=log, env=environment()
            )

    def log_dir(self, broker_id: int) -> Path:
        return self.folder / f"broker{broker_id}"

    def kill(self, broker_id: int) -> None:
        self._end(f"broker{broker_id}", signal.SIGKILL)

    def stop_broker(self, broker_id: int) -> None:
        self._end(f"broker{broker_id}", signal.SIGTERM)

    def _end(self, name: str, number: int) -> None:
        process = self._processes.pop(name)
        process.send_signal(number)
        process.wait(TIMEOUT_S)

    def stop(self) -> None:
        for name in list(self._processes):
            self._end(name, signal.SIGKILL)

    # What is asked of it

    def create(self, topic: str, assignment: list[list[int]]) -> None:
        new = NewTopic(topic, num_partitions=len(assignment), replica_assignment=assignment)
        self.admin.create_topics([new])[topic].result(TIMEOUT_S)
        until(lambda: self.leaders(topic) == [replicas[0] for replicas in assignment])

    def leaders(self, topic: str) -> list[int]:
        found = self.admin.list_topics(topic, timeout=TIMEOUT_S).topics[topic].partitions
        return [found[number].leader for number in sorted(found)]

    def in_sync(self, topic: str) -> bool:
        found = self.admin.list_topics(topic, timeout=TIMEOUT_S).topics[topic].partitions
        return all(len(part.isrs) == len(part.replicas) for part in found.values())

    def controller(self) -> int:
        return int(self.admin.list_topics(timeout=TIMEOUT_S).controller_id)


def until(condition: Callable[[], bool], pause_s: float = 0.01) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not so after {TIMEOUT_S:.0f} s")
        time.sleep(pause_s)


@contextlib.contextmanager
def cluster_of_three() -> Iterator[ClusterOfThree]:
    folder = Path(tempfile.mkdtemp(prefix="ottla-bench-cluster-"))
    cluster = ClusterOfThree(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
