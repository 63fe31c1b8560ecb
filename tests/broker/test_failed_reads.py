"""A disk that fails while records are read from it: its directory goes offline at once, and the other one serves on."""

import errno
from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.replication.fetch_reader import SMALL_BYTES_MAX
from support.disks import os_error
from support.halves import BAD, GOOD, STORAGE_ERROR, halves
from support.loops import on_loop
from support.raw_kafka import RawKafkaError
from support.raw_requests import batch

CONVERTED_FETCH = 3
LARGE = b"x" * (SMALL_BYTES_MAX + 1)


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
