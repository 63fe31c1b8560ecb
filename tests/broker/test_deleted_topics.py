"""What is left in memory of a topic that was deleted: nothing, once its files are gone."""

import gc
from pathlib import Path

import ottla
from ottla.replication.partition import Partition
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.segment import Segment
from ottla.testing import EmbeddedBroker
from support.eventually import eventually


def objects_of(directory: Path, topic: str) -> list[object]:
    """Partitions, logs and segments that somebody still holds."""
    gc.collect()
    found: list[object] = []
    for held in gc.get_objects():
        if isinstance(held, PartitionLog | Partition):
            found += [held] if held.topic_partition.topic == topic else []
        elif isinstance(held, Segment) and f"{directory}/logs-0/{topic}" in held.log.path:
            found.append(held)
    return found


def test_nothing_is_kept_of_a_deleted_topic_after_its_files_are_gone(tmp_path: Path) -> None:
    with EmbeddedBroker(directory=tmp_path, properties={"log.segment.delete.delay.ms": 0}) as broker:
        topic = broker.create_topic("short-lived", partitions=3)
        with ottla.Producer(broker.address) as producer:
            for number in range(3):
                producer.send(topic, b"value", partition=number).result(30)
        with ottla.Consumer(broker.address, auto_offset_reset="earliest") as consumer:
            consumer.assign([(topic, 0)])
            assert consumer.poll(10_000)
        assert len(objects_of(tmp_path, topic)) == 9
        with ottla.Admin(broker.address) as admin:
            admin.delete_topics([topic])
        eventually(lambda: not list(tmp_path.glob(f"logs-0/{topic}*")))
        eventually(lambda: not objects_of(tmp_path, topic))
