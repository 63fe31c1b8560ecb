"""Log directories change hands: Apache Kafka 3.9 (ZooKeeper mode) writes one, we extend it, Kafka takes it back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from ottla.model import TopicPartition as Partition
from ottla.records.record import Record
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir.log_dir_scan import take_inventory
from ottla.storage.log_manager import LogManager
from storage.brokers import Storage
from support.disks import FaultyDisk
from support.kafka_zookeeper import ZooKeeperModeBroker
from support.logs import read_all
from support.zookeepers import debian_server

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

ORDERS = Partition("orders", 0)
PAYMENTS = Partition("payments", 1)
RECORDS = 600


@pytest.fixture
def kafka(tmp_path: Path) -> Iterator[ZooKeeperModeBroker]:
    zookeeper = debian_server(tmp_path / "zookeeper")
    zookeeper.start()
    broker = ZooKeeperModeBroker(tmp_path / "kafka", zookeeper.address)
    broker.start()
    try:
        create_topics(broker)
        yield broker
    finally:
        broker.kill()
        zookeeper.kill()


def create_topics(broker: ZooKeeperModeBroker) -> None:
    topics = [
        NewTopic("orders", 1, 1, config={"segment.bytes": "4096"}),
        NewTopic("payments", 2, 1, config={"segment.bytes": "4096"}),
    ]
    admin = AdminClient({"bootstrap.servers": broker.address})
    while admin.list_topics(timeout=60).controller_id != 1:  # elected a moment after the broker answers
        pass
    for future in admin.create_topics(topics).values():
        future.result(60)


def produce_orders(broker: ZooKeeperModeBroker, codec: str = "none") -> None:
    settings = {"bootstrap.servers": broker.address, "enable.idempotence": True, "compression.type": codec}
    producer = Producer(settings | {"linger.ms": 2})
    for number in range(RECORDS):
        producer.produce("orders", b"order %d" % number, key=b"key", partition=0, timestamp=1_700_000_000_000 + number)
        if number % 5 == 4:
            producer.flush()
    producer.flush()


def produce_payments(broker: ZooKeeperModeBroker) -> None:
    """Ten transactions; every third is aborted; the last one is left open."""
    producer = Producer({"bootstrap.servers": broker.address, "transactional.id": "payments"})
    producer.init_transactions(60)
    for number in range(10):
        producer.begin_transaction()
        for record in range(20):
            producer.produce("payments", b"payment %d %d " % (number, record) + b"x" * 100, partition=1)
        producer.flush()
        if number % 3 == 2:
            producer.abort_transaction(60)
        else:
            producer.commit_transaction(60)


def consume(broker: ZooKeeperModeBroker, partition: Partition, isolation: str = "read_uncommitted") -> list[bytes]:
    consumer = Consumer(
        {
            "bootstrap.servers": broker.address,
            "group.id": "reader",
            "isolation.level": isolation,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
        }
    )
    consumer.assign([TopicPartition(partition.topic, partition.partition, 0)])
    values: list[bytes] = []
    while True:
        message = consumer.poll(60)
        assert message is not None
        if message.error() is not None:
            if message.error().name() == "_PARTITION_EOF":
                consumer.close()
                return values
            raise KafkaException(message.error())
        value = message.value()
        assert value is not None
        values.append(value)


def open_ours(broker: ZooKeeperModeBroker, disk: FaultyDisk | None = None) -> tuple[Storage, LogManager]:
    storage = Storage(broker.log_dir, topic={"segment.bytes": "4096", "index.interval.bytes": "500"})
    return storage, storage.start(disk) if disk else storage.start()


def get(manager: LogManager, partition: Partition) -> PartitionLog:
    log = manager.registry.get(partition)
    assert log is not None
    return log


def data_values(log: PartitionLog) -> list[bytes | None]:
    """Control records have a key of four bytes and are not among ours."""
    return [record.value for record in read_all(log) if not _is_control(record)]


def _is_control(record: Record) -> bool:
    return record.key is not None and len(record.key) == 4


class LogsOpened(FaultyDisk):
    __slots__ = ("opened",)

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def open(self, path: str, flags: int, /) -> int:
        if path.endswith(".log"):
            self.opened.append(path)
        return super().open(path, flags)


def test_a_cleanly_stopped_kafka_directory_is_served_extended_and_taken_back(kafka: ZooKeeperModeBroker) -> None:
    produce_orders(kafka)
    produce_payments(kafka)
    kafka.stop()
    disk = LogsOpened()
    storage, manager = open_ours(kafka, disk)
    active = {log.active.log.path for log in manager.logs() if log.active.size}
    assert sorted(disk.opened) == sorted(active), "after a clean stop only the tails of active segments are looked at"
    assert manager.dirs.all[0].was_clean
    orders, payments = get(manager, ORDERS), get(manager, PAYMENTS)
    assert data_values(orders) == [b"order %d" % number for number in range(RECORDS)]
    assert len(orders.segments) > 2
    assert [entry.last_sequence for _, entry in orders.producers.items()] == [RECORDS - 1]
    assert len(payments.aborted_transactions(0, payments.log_end_offset)) == 3
    assert payments.first_unstable_offset(payments.log_end_offset) is None
    for log in manager.registry.logs():
        log.check_invariants()
    found = take_inventory(str(kafka.log_dir))
    assert found.meta is not None
    assert found.meta.broker_id == 1
    assert all(entry.topic_id is not None for entry in found.partitions)
    extend(storage, orders)
    storage.stop()
    kafka.start()
    assert consume(kafka, ORDERS) == [b"order %d" % number for number in range(RECORDS)] + [
        b"ours %d" % n for n in range(50)
    ]
    second_start = kafka.output.split("Loading logs from log dirs")[-1]
    assert "Skipping recovery" in second_start, "Kafka believes our clean-shutdown marker"
    assert "Loading producer state from snapshot file" in second_start
    assert "corrupt" not in second_start.lower()
    committed = [number for number in range(10) if number % 3 != 2]
    payments_read = consume(kafka, PAYMENTS, "read_committed")
    assert [value.split()[1] for value in payments_read[::20]] == [b"%d" % number for number in committed]


def extend(storage: Storage, log: PartitionLog) -> None:
    epoch = log.leader_epochs.latest_epoch
    for number in range(50):
        storage.append(log, b"ours %d" % number, epoch=epoch, producer_id=991, producer_epoch=0, base_sequence=number)


def test_a_killed_kafka_directory_is_recovered_and_taken_back(kafka: ZooKeeperModeBroker) -> None:
    produce_orders(kafka, "lz4")
    kafka.kill()
    storage, manager = open_ours(kafka)
    assert not manager.dirs.all[0].was_clean
    orders = get(manager, ORDERS)
    assert data_values(orders) == [b"order %d" % number for number in range(RECORDS)]
    assert [entry.last_sequence for _, entry in orders.producers.items()] == [RECORDS - 1]
    orders.check_invariants()
    extend(storage, orders)
    storage.crash()
    kafka.start()
    assert consume(kafka, ORDERS)[-1] == b"ours 49"
