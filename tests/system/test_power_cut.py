"""A cut of the power, on a real ext4: what was not fsynced is gone, as after pulling the plug.

The broker's log directory lies on a loop mount. The cut is an ioctl that ends the file system without writing anything
more, journal included; then the broker is killed and the file system mounted again. Needs root and loop devices.
"""

import contextlib
import fcntl
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.acknowledged import AcknowledgedProducer, assert_nothing_lost, is_whole, read_everything
from support.broker import OttlaProcess, running
from support.peers import absent, require_command
from support.raw_kafka import create_topic

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

TOPIC = "cut"
EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = struct.pack("I", 2)
IMAGE_BYTES = 512 << 20


class FlashDisk:
    """An ext4 file system in a file, whose power can be cut."""

    def __init__(self, directory: Path) -> None:
        self._image = directory / "disk.img"
        self.mount_point = directory / "disk"
        self.mount_point.mkdir()
        with self._image.open("wb") as image:
            image.truncate(IMAGE_BYTES)
        _run(require_command("mkfs.ext4"), "-q", "-F", str(self._image))

    def mount(self) -> None:
        """`commit=1000`: the kernel writes nothing back by itself, so that a missing fsync shows."""
        _run("mount", "-o", "loop,commit=1000", str(self._image), str(self.mount_point))

    def cut_power(self) -> None:
        directory = os.open(self.mount_point, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH)
        finally:
            os.close(directory)

    def unmount(self) -> None:
        _run("umount", str(self.mount_point))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{' '.join(command)}: {done.stderr}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FlashDisk]:
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    made = FlashDisk(tmp_path)
    try:
        made.mount()
    except OSError as error:
        absent(f"a loop mount ({error})")
    yield made
    with contextlib.suppress(OSError):
        made.unmount()


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
