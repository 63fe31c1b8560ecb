"""A log directory that fails under a leader: the controller is told, others lead, the rest of the broker goes on."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from confluent_kafka import Producer

from support.broker import OttlaProcess
from support.cluster import MakeBroker, cluster_in
from support.eventually import eventually
from support.flash_disk import flash_disk
from support.zkcli import run_zkcli

PARTITIONS = 4


def with_second_directory(path: Path) -> MakeBroker:
    """Broker 0 has this directory too."""

    def make(directory: Path, properties: Mapping[str, str]) -> OttlaProcess:
        broker = OttlaProcess(directory, properties)
        if properties["broker.id"] == "0":
            broker.properties["log.dirs"] += f",{path}"
        return broker

    return make


@pytest.mark.long
@pytest.mark.timeout(240)
def test_partitions_of_a_failed_log_directory_are_led_by_others(tmp_path: Path) -> None:
    with flash_disk(tmp_path) as disk:
        make_broker = with_second_directory(disk.mount_point / "logs")
        with cluster_in(tmp_path, make_broker=make_broker, auto_leader_rebalance_enable="false") as cluster:
            cluster.create_topic("orders", PARTITIONS, min_insync_replicas="2")
            on_disk = {int(path.name.rpartition("-")[2]) for path in (disk.mount_point / "logs").glob("orders-*")}
            assert on_disk, "none of the partitions is in the second directory"
            disk.cut_power()
            producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "log_level": 0})
            outcomes: list[object] = []
            for partition in range(PARTITIONS):
                for _ in range(10):
                    producer.produce("orders", b"x", partition=partition, on_delivery=lambda e, _: outcomes.append(e))
            assert producer.flush(60) == 0
            assert outcomes == [None] * 10 * PARTITIONS
            for partition in range(PARTITIONS):
                eventually(lambda p=partition: (0 in cluster.partition("orders", p).isrs) == (p not in on_disk))  # type: ignore[misc]
                assert (cluster.leader("orders", partition) != 0) or partition not in on_disk
            assert cluster.brokers[0].is_running
            assert "\n[]\n" in run_zkcli(cluster.zookeeper, "ls /log_dir_event_notification")
