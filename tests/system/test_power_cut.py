"""A cut of the power, on a real ext4: what was not fsynced is gone, as after pulling the plug.

The broker's log directory lies on a loop mount. The cut is an ioctl that ends the file system without writing anything
more, journal included; then the broker is killed and the file system mounted again. Needs root and loop devices.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.acknowledged import AcknowledgedProducer, assert_nothing_lost, is_whole, read_everything
from support.broker import OttlaProcess, running
from support.flash_disk import FlashDisk, flash_disk
from support.raw_kafka import create_topic

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

TOPIC = "cut"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FlashDisk]:
    with flash_disk(tmp_path) as made:
        yield made


def cut_and_restart(broker: OttlaProcess, disk: FlashDisk) -> None:
    disk.cut_power()
    broker.kill()
    disk.unmount()
    disk.mount()
    broker.start()


@pytest.mark.parametrize("acks", ["all", "1"])
def test_what_flush_messages_promised_is_there_after_a_power_cut(tmp_path: Path, disk: FlashDisk, acks: str):
    """The logs and the embedded ZooKeeper are both on the disk that fails."""
    broker = OttlaProcess(tmp_path / "broker", {"log.dirs": str(disk.mount_point / "logs")})
    with running(broker):
        create_topic(broker.address, TOPIC, configs={"flush.messages": "1", "segment.bytes": "100000"})
        with AcknowledgedProducer(broker.address, TOPIC, {"acks": acks}) as producer:
            for _ in range(5):
                producer.await_more(1000)
                cut_and_restart(broker, disk)
                producer.await_more()
        assert_nothing_lost(broker.address, TOPIC, producer)


def test_without_a_promise_a_power_cut_leaves_a_whole_beginning_of_the_log(tmp_path: Path, disk: FlashDisk):
    broker = OttlaProcess(tmp_path / "broker", {"log.dirs": str(disk.mount_point / "logs")})
    with running(broker):
        create_topic(broker.address, TOPIC, configs={"segment.bytes": "100000"})
        with AcknowledgedProducer(broker.address, TOPIC, {"acks": "1"}) as producer:
            producer.await_more(5000)
            acknowledged = dict(producer.values)
            cut_and_restart(broker, disk)
        records = read_everything(broker.address, TOPIC)
        assert [record.offset for record in records] == list(range(len(records)))
        assert all(is_whole(record) for record in records)
        stored = {record.offset: record.value for record in records}
        assert any(stored.get(offset) != value for offset, value in acknowledged.items())  # The cut was a cut.
