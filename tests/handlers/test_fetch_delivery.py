"""A few kilobytes of records leave as bytes, more as a slice of the file; nothing of a slice is left behind."""

import asyncio
import errno
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from ottla.clock import ManualClock
from ottla.config import BrokerConfig
from ottla.disk.directory import LogDirectory
from ottla.disk.file_slice import FileSlice
from ottla.disk.log_file import LogFile
from ottla.errors import ErrorCode
from ottla.handlers.fetch_delivery import SMALL_BYTES_MAX, FetchDelivery, read_small
from ottla.model import ZERO_UUID
from ottla.observability.metrics import Metrics
from ottla.protocol.messages.fetch import FetchResponse, PartitionData
from ottla.replication.delayed_fetch import Answers
from ottla.replication.fetching import FetchEntry
from ottla.storage.log_offsets import LogOffset
from support.disks import FaultyDisk, os_error


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def file(tmp_path: Path, disk: FaultyDisk) -> Iterator[LogFile]:
    file = LogFile.create(f"{tmp_path}/a.log", LogDirectory(str(tmp_path), disk))
    file.append(bytes(range(256)) * 64)
    yield file
    file.close()


def is_storage_error(answer: PartitionData) -> bool:
    return (answer.error_code, answer.records, answer.high_watermark) == (ErrorCode.KAFKA_STORAGE_ERROR, b"", -1)


def test_few_bytes_are_read_and_their_slice_is_closed(file: LogFile) -> None:
    answer = PartitionData(records=FileSlice(file, 3, SMALL_BYTES_MAX))
    read_small(answer)
    assert answer.records == (bytes(range(256)) * 64)[3 : 3 + SMALL_BYTES_MAX]
    assert file.pins == 0


def test_more_bytes_stay_a_slice(file: LogFile) -> None:
    piece = FileSlice(file, 0, SMALL_BYTES_MAX + 1)
    answer = PartitionData(records=piece)
    read_small(answer)
    assert answer.records is piece
    assert file.pins == 1
    piece.close()


def test_few_bytes_that_the_disk_does_not_give_are_an_error_of_their_partition(file: LogFile, disk: FaultyDisk) -> None:
    disk.faults["pread"] = os_error(errno.EIO)
    answer = PartitionData(records=FileSlice(file, 0, 100), high_watermark=9)
    read_small(answer)
    assert is_storage_error(answer)
    assert file.pins == 0


def test_what_was_truncated_meanwhile_stays_a_slice_whose_sending_will_say_so(file: LogFile) -> None:
    piece = FileSlice(file, 100, 100)
    file.truncate(150)
    answer = PartitionData(records=piece)
    read_small(answer)
    assert answer.records is piece
    piece.close()


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def old_records(file: LogFile) -> Answers:
    """A fetch of them, as far as the delivery looks at it: they lie in an older segment than the log's last."""
    entry = FetchEntry("t", ZERO_UUID, 0)
    log = SimpleNamespace(end_position=LogOffset(1000, 1000, 0), config=BrokerConfig.load({}).topic_config({}))
    entry.partition = SimpleNamespace(log=log)  # type: ignore[assignment]
    entry.start = LogOffset(0, 0, 0)
    return [(entry, PartitionData(records=FileSlice(file, 0, file.size)))]


def test_consumer_that_goes_away_while_its_records_are_brought_in_leaves_no_pin(
    file: LogFile, disk: FaultyDisk, loop: asyncio.AbstractEventLoop
) -> None:
    delivery = FetchDelivery(loop, Metrics(ManualClock()))
    disk.faults["preadv"] = BlockingIOError()
    answer = delivery.prepare(11, old_records(file), FetchResponse())
    assert isinstance(answer, asyncio.Future)
    answer.cancel()
    loop.run_until_complete(asyncio.to_thread(delivery.close))
    loop.run_until_complete(asyncio.sleep(0))
    assert file.pins == 0


@pytest.mark.parametrize(("version", "call"), [(11, "preadv"), (3, "pread")])
def test_records_that_the_disk_does_not_give_a_thread_are_an_error_of_their_partition(
    file: LogFile, disk: FaultyDisk, loop: asyncio.AbstractEventLoop, version: int, call: str
) -> None:
    delivery = FetchDelivery(loop, Metrics(ManualClock()))
    disk.faults[call] = os_error(errno.EIO)
    response, answers = FetchResponse(), old_records(file)
    answer = delivery.prepare(version, answers, response)
    assert isinstance(answer, asyncio.Future)
    assert loop.run_until_complete(asyncio.wait_for(answer, 10)) is response
    assert is_storage_error(answers[0][1])
    loop.run_until_complete(asyncio.to_thread(delivery.close))
    loop.run_until_complete(asyncio.sleep(0))
    assert file.pins == 0


def test_consumer_that_goes_away_before_the_disk_fails_leaves_no_pin(
    file: LogFile, disk: FaultyDisk, loop: asyncio.AbstractEventLoop
) -> None:
    delivery = FetchDelivery(loop, Metrics(ManualClock()))
    disk.faults["preadv"] = os_error(errno.EIO)
    answer = delivery.prepare(11, old_records(file), FetchResponse())
    assert isinstance(answer, asyncio.Future)
    answer.cancel()
    loop.run_until_complete(asyncio.to_thread(delivery.close))
    loop.run_until_complete(asyncio.sleep(0))
    assert file.pins == 0


def test_old_consumer_that_goes_away_before_the_conversion_leaves_no_pin(
    file: LogFile, loop: asyncio.AbstractEventLoop
) -> None:
    delivery = FetchDelivery(loop, Metrics(ManualClock()))
    executor = ThreadPoolExecutor(1)
    loop.set_default_executor(executor)
    gate = threading.Event()
    executor.submit(gate.wait, 10)  # whatever is to be converted has to wait its turn
    answer = delivery.prepare(3, old_records(file), FetchResponse())
    assert isinstance(answer, asyncio.Future)
    answer.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    gate.set()
    loop.run_until_complete(loop.shutdown_default_executor())
    assert file.pins == 0
