"""A broker with a partition in each of two log directories, whose disks can be broken one by one."""

import asyncio
import errno
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ottla.broker.broker import Broker
from ottla.config import BrokerConfig
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from ottla.storage.log.partition_log import PartitionLog
from support.disks import FaultyDisk, os_error
from support.raw_kafka import RawKafka, ask, create_topic
from support.raw_requests import ACKS_ALL, NOW_MS, batch, fetch_partition, fetch_request, produce

TOPIC = "orders"
BAD, GOOD = 0, 1
LATEST_FETCH = 12
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
    """`disk` is that of the partition BAD, `other_disk` that of GOOD."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker

    async def create(self, configs: Mapping[str, str]) -> None:
        """The topic, everything of it on disks that can fail. What the directories had before stays on the real one."""
        disks = {log_dir.path: Disk() for log_dir in self.broker.data.logs.dirs.all}
        for log_dir in self.broker.data.logs.dirs.all:
            log_dir.directory.disk = disks[log_dir.path]
        await asyncio.to_thread(create_topic, self.broker.address, TOPIC, 2, configs)
        self.disk, self.other_disk = (disks[self.log(partition).log_directory.path] for partition in (BAD, GOOD))
        self.good_path = self.log(GOOD).log_directory.path

    async def fill(self, value: bytes) -> None:
        """Two records in each partition, each in a segment of its own."""
        records = batch([value])
        await self.create({"segment.bytes": str(len(records))})
        for partition in (BAD, GOOD) * 2:
            assert await self.produce(partition, records) == ErrorCode.NONE

    def log(self, partition: int) -> PartitionLog:
        log = self.broker.data.logs.registry.get(TopicPartition(TOPIC, partition))
        assert log is not None
        return log

    async def produce(self, partition: int, records: bytes, acks: int = ACKS_ALL) -> int:
        """The error code."""

        def ask_broker() -> int:
            with RawKafka(self.broker.address) as raw:
                return int(produce(raw, TOPIC, records, partition=partition, acks=acks).error_code)

        return await asyncio.to_thread(ask_broker)

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
        assert [log_dir.path for log_dir in self.broker.data.logs.dirs.online()] == [self.good_path]
        assert await self.fetch() == {BAD: (STORAGE_ERROR, False), GOOD: (ErrorCode.NONE, True)}
        assert not self.broker.failed.done()
        said = [record for record in caplog.records if record.name == "ottla.storage.log_dir.log_dir"]
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
