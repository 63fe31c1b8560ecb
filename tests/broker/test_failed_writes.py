"""A disk that fails while records are written to it: the producer is told, the directory goes offline, and the other
one serves on. Without any directory the broker ends."""

import errno
import re
from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.errors.tree import LogDirError
from support.disks import os_error
from support.halves import BAD, GOOD, STORAGE_ERROR, halves
from support.loops import on_loop
from support.raw_requests import ACKS_ALL, batch

ACKS_LEADER = 1
BOTH_ACKS = pytest.mark.parametrize("acks", [ACKS_LEADER, ACKS_ALL])
FLUSHED = {"flush.messages": "1"}


@BOTH_ACKS
@on_loop
async def test_failed_append_is_told_to_the_producer_and_takes_the_directory_offline(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, acks: int
) -> None:
    async with halves(tmp_path) as broker:
        await broker.create({})
        broker.disk.faults["pwrite"] = os_error(errno.EIO)
        assert await broker.produce(BAD, batch(), acks) == STORAGE_ERROR
        assert await broker.produce(GOOD, batch(), acks) == ErrorCode.NONE
        await broker.expect_one_offline(caplog)
        assert await broker.produce(BAD, batch(), acks) == STORAGE_ERROR


@BOTH_ACKS
@on_loop
async def test_failed_sync_is_told_to_the_producer_that_waits_for_it_and_takes_the_directory_offline(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, acks: int
) -> None:
    """The records may be on the disk, and on another replica: the producer is not told that they are not."""
    async with halves(tmp_path) as broker:
        await broker.create(FLUSHED)
        broker.disk.faults["sync"] = os_error(errno.EIO)
        assert await broker.produce(BAD, batch(), acks) == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        assert await broker.produce(GOOD, batch(), acks) == ErrorCode.NONE
        await broker.expect_one_offline(caplog)
        assert await broker.produce(BAD, batch(), acks) == STORAGE_ERROR


@on_loop
async def test_a_full_disk_is_said_once_in_a_while_and_every_refused_produce_is_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with halves(tmp_path) as broker:
        await broker.create({})
        broker.disk.faults["pwrite"] = os_error(errno.ENOSPC)
        for _ in range(5):
            assert await broker.produce(BAD, batch()) == STORAGE_ERROR
        assert await broker.produce(GOOD, batch()) == ErrorCode.NONE
        assert len(broker.broker.data.logs.dirs.online()) == 2
        (error,) = [record.getMessage() for record in caplog.records if record.name == "ottla.disk.directory"]
        assert broker.log(BAD).log_directory.path in error
        assert "No space left on device: refused until there is room" in error
        rendered = b"".join(broker.broker.metrics.render()).decode()
        counter = r"^kafka_server_brokertopicmetrics_failedproducerequests_total ([\d.]+)$"
        (failed,) = re.findall(counter, rendered, re.MULTILINE)
        assert float(failed) == 5
        assert f'ottla_log_directory_usable_bytes{{logDirectory="{broker.good_path}"}}' in rendered


@pytest.mark.parametrize(("call", "configs"), [("pwrite", {}), ("sync", FLUSHED)])
@on_loop
async def test_the_broker_ends_when_its_last_directory_fails(
    tmp_path: Path, call: str, configs: dict[str, str]
) -> None:
    async with halves(tmp_path) as broker:
        await broker.create(configs)
        broker.disk.faults[call] = broker.other_disk.faults[call] = os_error(errno.EIO)
        await broker.produce(BAD, batch())
        assert not broker.broker.failed.done()
        await broker.produce(GOOD, batch())
        with pytest.raises(LogDirError, match="the last one"):
            await broker.broker.failed
