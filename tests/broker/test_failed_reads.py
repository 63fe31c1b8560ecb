"""A disk that fails while records are read from it: its directory goes offline at once, and the other one serves on."""

import asyncio
import errno
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ottla.broker.broker import Broker
from ottla.config import BrokerConfig
from ottla.errors import ErrorCode
from ottla.handlers.fetch_delivery import SMALL_BYTES_MAX
from ottla.model import TopicPartition
from ottla.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from ottla.storage.partition_log import PartitionLog
from support.disks import FaultyDisk, os_error
from support.loops import on_loop
from support.raw_kafka import RawKafka, RawKafkaError, ask, create_topic
from support.raw_requests import NOW_MS, batch, fetch_partition, fetch_request, produce

TOPIC = "orders"
BAD, GOOD = 0, 1
LATEST_FETCH = 12
CONVERTED_FETCH = 3
LARGE = b"x" * (SMALL_BYTES_MAX + 1)
STORAGE_ERROR = ErrorCode.KAFKA_STORAGE_ERROR


class Disk(FaultyDisk):
    """Gives nothing of `unreadable_bytes` in one piece: a batch as a whole, whose header can be looked at."""

    __slots__ = ("unreadable_bytes",)

    def __init__(self) -> None:
        super().__init__()
        self.unreadable_bytes = -1

    def pread(self, descriptor: int, count: int, position: int, /) -> bytes:
        if count == self.unreadable_bytes:
            raise os_error(errno.EIO)
        return super().pread(descriptor, count, position)


class Halves:
    """A broker with a partition in each of two log directories, one of them on a disk that can be broken."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.disk = Disk()

    async def fill(self, value: bytes) -> None:
        """Two records in each partition, each in a segment of its own."""
        records = batch([value])
        configs = {"segment.bytes": str(len(records))}
        await asyncio.to_thread(create_topic, self.broker.address, TOPIC, 2, configs)
        self.log(BAD).log_directory.disk = self.disk
        await asyncio.to_thread(self._produce, records)

    def _produce(self, records: bytes) -> None:
        with RawKafka(self.broker.address) as raw:
            for partition in (BAD, GOOD) * 2:
                assert produce(raw, TOPIC, records, partition=partition).error_code == ErrorCode.NONE

    def log(self, partition: int) -> PartitionLog:
        log = self.broker.data.logs.get(TopicPartition(TOPIC, partition))
        assert log is not None
        return log

    async def fetch(self, version: int = LATEST_FETCH) -> dict[int, tuple[int, bool]]:
        """By partition its error, and whether there were records."""
        request = fetch_request(TOPIC, [fetch_partition(0, BAD), fetch_partition(0, GOOD)])
        response = await asyncio.to_thread(ask, self.broker.address, request, version)
        return {
            part.partition_index: (part.error_code, bool(part.records)) for part in response.responses[0].partitions
        }

    async def offsets_by_time(self) -> dict[int, tuple[int, int]]:
        parts = [ListOffsetsPartition(partition_index=index, timestamp=NOW_MS) for index in (BAD, GOOD)]
        request = ListOffsetsRequest(topics=[ListOffsetsTopic(name=TOPIC, partitions=parts)])
        response = await asyncio.to_thread(ask, self.broker.address, request, 7)
        return {part.partition_index: (part.error_code, part.offset) for part in response.topics[0].partitions}

    async def expect_one_offline(self, caplog: pytest.LogCaptureFixture) -> None:
        """Even when the disk works again: what it holds is not to be trusted."""
        self.disk.faults.clear()
        self.disk.unreadable_bytes = -1
        assert [log_dir.path for log_dir in self.broker.data.logs.online_dirs()] == [self.log(GOOD).log_directory.path]
        assert await self.fetch() == {BAD: (STORAGE_ERROR, False), GOOD: (ErrorCode.NONE, True)}
        said = [record for record in caplog.records if record.name == "ottla.storage.log_dir"]
        assert [record.levelno for record in said] == [logging.ERROR]


@asynccontextmanager
async def halves(directory: Path) -> AsyncIterator[Halves]:
    config = BrokerConfig.load(
        {
            "listeners": "PLAINTEXT://localhost:0",
            "ottla.zookeeper.port": "0",
            "log.dirs": f"{directory}/a,{directory}/b",
            "broker.id": "7",
        }
    )
    broker = Broker(config)
    try:
        await broker.start()
        yield Halves(broker)
    finally:
        await broker.stop()


@on_loop
async def test_failed_sendfile_ends_the_connection_and_takes_the_directory_offline(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with halves(tmp_path) as broker:
        await broker.fill(LARGE)
        broker.disk.faults["send_file"] = os_error(errno.EIO)
        with pytest.raises(RawKafkaError, match="closed"):
            await broker.fetch()
        await broker.expect_one_offline(caplog)


@on_loop
async def test_failed_cold_read_is_the_error_of_its_partition_and_takes_the_directory_offline(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with halves(tmp_path) as broker:
        await broker.fill(LARGE)
        broker.disk.faults["preadv"] = broker.disk.faults["bring_in"] = os_error(errno.EIO)
        assert await broker.fetch() == {BAD: (STORAGE_ERROR, False), GOOD: (ErrorCode.NONE, True)}
        await broker.expect_one_offline(caplog)


@on_loop
async def test_failed_read_for_a_conversion_is_the_error_of_its_partition_and_takes_the_directory_offline(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with halves(tmp_path) as broker:
        await broker.fill(LARGE)
        broker.disk.unreadable_bytes = len(batch([LARGE]))
        assert await broker.fetch(CONVERTED_FETCH) == {BAD: (STORAGE_ERROR, False), GOOD: (ErrorCode.NONE, True)}
        await broker.expect_one_offline(caplog)


@on_loop
async def test_failed_search_by_time_is_the_error_of_its_partition_and_takes_the_directory_offline(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with halves(tmp_path) as broker:
        await broker.fill(b"small")
        assert await broker.offsets_by_time() == {BAD: (ErrorCode.NONE, 0), GOOD: (ErrorCode.NONE, 0)}
        broker.disk.faults["pread"] = os_error(errno.EIO)
        assert await broker.offsets_by_time() == {BAD: (STORAGE_ERROR, -1), GOOD: (ErrorCode.NONE, 0)}
        await broker.expect_one_offline(caplog)


@on_loop
async def test_consumer_that_goes_away_in_the_middle_of_a_send_is_no_failure_of_the_disk(tmp_path: Path) -> None:
    async with halves(tmp_path) as broker:
        await broker.fill(LARGE)
        broker.disk.faults["send_file"] = os_error(errno.EPIPE)
        with pytest.raises(RawKafkaError, match="closed"):
            await broker.fetch()
        broker.disk.faults.clear()
        assert await broker.fetch() == {BAD: (ErrorCode.NONE, True), GOOD: (ErrorCode.NONE, True)}
