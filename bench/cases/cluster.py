"""A cluster of three: how long 1,000 partitions are without a leader, and what a replica that catches up costs others.

failover     One broker leads all 1,000 partitions and is killed. Time runs from the moment at which ZooKeeper drops its
             registration until every partition is led, in the metadata of a broker that clients ask.
catch-up     A replica comes back with an empty disk while a producer sends 200 records/s with acks=all, each by itself:
             how fast the replica is filled, and the producer's p99 before and meanwhile.

Kafka is not measured beside it: its failover goes through KRaft's heartbeats, not through ZooKeeper.
"""

import shutil
import statistics
import time
from collections.abc import Callable

from confluent_kafka import Producer
from kazoo.client import KazooClient

from bench.brokers import BrokerProcess, Ottla
from bench.clusters import BROKERS, ClusterOfThree, cluster_of_three, until
from bench.measures import Case, Effort, Metric, Sample

PARTITIONS = 1_000
RECORD_BYTES = 1_000
PACE_PER_S = 200
TOPIC = "bench"


def failover(broker: BrokerProcess, effort: Effort) -> Sample:
    with cluster_of_three() as cluster:
        victim = next(number for number in range(BROKERS) if number != cluster.controller())
        others = [number for number in range(BROKERS) if number != victim]
        cluster.create(TOPIC, [[victim, *others]] * PARTITIONS)
        until(lambda: cluster.in_sync(TOPIC))
        zookeeper = KazooClient(hosts=cluster.zookeeper)
        zookeeper.start()
        try:
            cluster.kill(victim)
            until(lambda: zookeeper.exists(f"/brokers/ids/{victim}") is None, pause_s=0.001)
            expired = time.perf_counter()
            until(lambda: all(leader in others for leader in cluster.leaders(TOPIC)), pause_s=0.001)
            return {"all_led_ms": (time.perf_counter() - expired) * 1000}
        finally:
            zookeeper.stop()
            zookeeper.close()


def catch_up(broker: BrokerProcess, effort: Effort) -> Sample:
    with cluster_of_three() as cluster:
        victim = next(number for number in range(BROKERS) if number != cluster.controller())
        leader, other = (number for number in range(BROKERS) if number != victim)
        cluster.create(TOPIC, [[leader, other, victim]])
        fill(cluster, effort.megabytes)
        until(lambda: cluster.in_sync(TOPIC))
        cluster.stop_broker(victim)
        shutil.rmtree(cluster.log_dir(victim))
        before = PacedProducer(cluster)
        before.run(lambda: len(before.latencies_ms) >= PACE_PER_S * max(2.0, effort.seconds))
        cluster.start_broker(victim)
        meanwhile, began = PacedProducer(cluster), time.perf_counter()
        meanwhile.run(lambda: cluster.in_sync(TOPIC))
        return {
            "megabytes_per_s": effort.megabytes / (time.perf_counter() - began),
            "p99_before_ms": before.p99_ms(),
            "p99_meanwhile_ms": meanwhile.p99_ms(),
        }


def fill(cluster: ClusterOfThree, megabytes: int) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "1", "linger.ms": 5, "log_level": 0})
    for _ in range(megabytes * 1_000_000 // RECORD_BYTES):
        while True:
            try:
                producer.produce(TOPIC, bytes(RECORD_BYTES), partition=0)
                break
            except BufferError:
                producer.poll(0.1)
    if producer.flush(120):
        raise RuntimeError("the topic could not be filled")


class PacedProducer:
    """One record at a time, so many a second; how long each took to be acknowledged."""

    def __init__(self, cluster: ClusterOfThree) -> None:
        self._producer = Producer(
            {"bootstrap.servers": cluster.bootstrap, "acks": "all", "linger.ms": 0, "log_level": 0}
        )
        self.latencies_ms: list[float] = []

    def run(self, is_over: Callable[[], bool]) -> None:
        looked = 0.0
        while True:
            began = time.perf_counter()
            self._producer.produce(TOPIC, bytes(RECORD_BYTES), partition=0, on_delivery=self._delivered)
            self._producer.flush(60)
            if began - looked > 0.1:
                looked = began
                if is_over():
                    return
            time.sleep(max(0.0, 1 / PACE_PER_S - (time.perf_counter() - began)))

    def _delivered(self, error: object, message: object) -> None:
        if error is not None:
            raise RuntimeError(f"not acknowledged: {error}")
        self.latencies_ms.append(message.latency() * 1000)  # type: ignore[attr-defined]

    def p99_ms(self) -> float:
        return statistics.quantiles(self.latencies_ms, n=100)[-1]


CLUSTER_CASES = (
    Case(
        "cluster-failover", "cluster", "1,000 partitions of a killed leader, from the end of its session", failover,
        (Metric("all_led_ms", "ms", label="until all are led"),),
        brokers=(Ottla,), first_pass_discarded=False, rounds=lambda effort: min(3, effort.starts),
        in_quick_run=False,
    ),
    Case(
        "cluster-catch-up", "cluster", "a wiped replica catches up beside 200 records/s, acks all", catch_up,
        (
            Metric("megabytes_per_s", "MB/s", label="catching up, start of the broker included"),
            Metric("p99_before_ms", "ms", label="produce p99 before"),
            Metric("p99_meanwhile_ms", "ms", label="produce p99 meanwhile"),
        ),
        brokers=(Ottla,), first_pass_discarded=False, rounds=lambda effort: min(3, effort.starts),
        in_quick_run=False,
    ),
)  # fmt: skip
