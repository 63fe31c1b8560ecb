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
from ottla.handlers.fetch.deliver import FetchDelivery, convert, read_small
from ottla.model import ZERO_UUID
from ottla.observability.conversion_metrics import Conversion
from ottla.observability.metrics import Metrics
from ottla.records.attributes import Codec
from ottla.records.legacy import decode_messages, down_convert
from ottla.records.record import Record, encode_batch
from ottla.replication.fetch_reader import SMALL_BYTES_MAX, FetchEntry, PartitionRead, Reads
from ottla.storage.log.log_results import LogOffset
from support.disks import FaultyDisk, os_error
from support.logs import create_log


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def file(tmp_path: Path, disk: FaultyDisk) -> Iterator[LogFile]:
    file = LogFile.create(f"{tmp_path}/a.log", LogDirectory(str(tmp_path), disk))
    file.append(bytes(range(256)) * 64)
    yield file
    file.close()


def read_of(records: FileSlice | bytes) -> PartitionRead:
    read = PartitionRead()
    read.records, read.high_watermark = records, 9
    return read


def is_storage_error(answer: PartitionRead) -> bool:
    return (answer.error_code, answer.records, answer.high_watermark) == (ErrorCode.KAFKA_STORAGE_ERROR, b"", -1)


def test_few_bytes_are_read_and_their_slice_is_closed(file: LogFile) -> None:
    answer = read_of(FileSlice(file, 3, SMALL_BYTES_MAX))
    read_small(answer)
    assert answer.records == (bytes(range(256)) * 64)[3 : 3 + SMALL_BYTES_MAX]
    assert file.pins == 0


def test_more_bytes_stay_a_slice(file: LogFile) -> None:
    piece = FileSlice(file, 0, SMALL_BYTES_MAX + 1)
    answer = read_of(piece)
    read_small(answer)
    assert answer.records is piece
    assert file.pins == 1
    piece.close()


def test_few_bytes_that_the_disk_does_not_give_are_an_error_of_their_partition(file: LogFile, disk: FaultyDisk) -> None:
    disk.faults["pread"] = os_error(errno.EIO)
    answer = read_of(FileSlice(file, 0, 100))
    read_small(answer)
    assert is_storage_error(answer)
    assert file.pins == 0


def test_what_was_truncated_meanwhile_stays_a_slice_whose_sending_will_say_so(file: LogFile) -> None:
    piece = FileSlice(file, 100, 100)
    file.truncate(150)
    answer = read_of(piece)
    read_small(answer)
    assert answer.records is piece
    piece.close()


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()


def old_records(file: LogFile) -> Reads:
    """A fetch of them, as far as the delivery looks at it: they lie in an older segment than the log's last."""
    entry = FetchEntry("t", ZERO_UUID, 0)
    log = SimpleNamespace(end_position=LogOffset(1000, 1000, 0), config=BrokerConfig.load({}).topic_config({}))
    entry.partition = SimpleNamespace(log=log)  # type: ignore[assignment]
    entry.start = LogOffset(0, 0, 0)
    return [(entry, read_of(FileSlice(file, 0, file.size)))]


@pytest.mark.parametrize("faults", [{}, {"bring_in": os_error(errno.EIO)}])
def test_consumer_that_goes_away_while_its_records_are_brought_in_leaves_no_pin(
    file: LogFile, disk: FaultyDisk, loop: asyncio.AbstractEventLoop, faults: dict[str, OSError]
) -> None:
    """Whether they come or the disk fails."""
    delivery = FetchDelivery(loop, Metrics(ManualClock()))
    disk.faults.update(faults, preadv=BlockingIOError())
    answer = delivery.deliver(11, str, old_records(file))
    assert isinstance(answer, asyncio.Future)
    answer.cancel()
    loop.run_until_complete(asyncio.to_thread(delivery.close))
    loop.run_until_complete(asyncio.sleep(0))
    assert file.pins == 0


@pytest.mark.parametrize(("version", "calls"), [(11, ["preadv", "bring_in"]), (3, ["pread"])])
def test_records_that_the_disk_does_not_give_a_thread_are_an_error_of_their_partition(
    file: LogFile, disk: FaultyDisk, loop: asyncio.AbstractEventLoop, version: int, calls: list[str]
) -> None:
    delivery = FetchDelivery(loop, Metrics(ManualClock()))
    disk.faults.update(dict.fromkeys(calls, os_error(errno.EIO)))
    answers = old_records(file)
    answer = delivery.deliver(version, lambda reads: "the response", answers)
    assert isinstance(answer, asyncio.Future)
    assert loop.run_until_complete(asyncio.wait_for(answer, 10)) == "the response"
    assert is_storage_error(answers[0][1])
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
    answer = delivery.deliver(3, str, old_records(file))
    assert isinstance(answer, asyncio.Future)
    answer.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    gate.set()
    loop.run_until_complete(loop.shutdown_default_executor())
    assert file.pins == 0


def convert_for(version: int, records: bytes, root: Path, **config: int) -> tuple[PartitionRead, Conversion | None]:
    log = create_log(root, **config)
    log.active.append(records, 20, 20)
    entry = FetchEntry("t", ZERO_UUID, 0)
    entry.partition = SimpleNamespace(log=log)  # type: ignore[assignment]
    piece = FileSlice(log.active.log, 0, len(records))
    answer = read_of(b"")
    conversion = convert(version, entry, answer, piece)
    piece.close()
    return answer, conversion


NEW = encode_batch([Record(10 + number, number, b"k", b"new") for number in range(3)])
OLD = down_convert(encode_batch([Record(number, number, b"k", b"old") for number in range(3)]), 1)


@pytest.mark.parametrize(("version", "converted_count"), [(0, 6), (1, 6), (2, 3), (3, 3)])
def test_messages_that_an_old_kafka_stored_are_given_to_old_consumers(
    tmp_path: Path, version: int, converted_count: int
) -> None:
    answer, conversion = convert_for(version, OLD + NEW, tmp_path)
    assert answer.error_code == ErrorCode.NONE
    found = decode_messages(bytes(answer.records))
    assert [record.offset for record in found] == [0, 1, 2, 10, 11, 12]
    assert conversion is not None
    assert (conversion.records, conversion.size_bytes) == (converted_count, len(answer.records))


def test_what_needs_no_conversion_is_not_counted_as_one(tmp_path: Path) -> None:
    answer, conversion = convert_for(3, OLD, tmp_path)
    assert (answer.error_code, answer.records, conversion) == (ErrorCode.NONE, OLD, None)


def test_batch_that_the_answer_cuts_short_is_left_out(tmp_path: Path) -> None:
    """A read ends where its bytes end, within a batch or not."""
    answer, conversion = convert_for(3, NEW + NEW[:-1], tmp_path)
    assert len(decode_messages(bytes(answer.records))) == 3
    assert conversion is not None
    assert conversion.records == 3


@pytest.mark.parametrize(
    ("max_message_bytes", "error"), [(1 << 20, ErrorCode.INVALID_RECORD), (3 << 20, ErrorCode.NONE)]
)
def test_records_are_opened_up_to_what_their_topic_allows(
    tmp_path: Path, max_message_bytes: int, error: ErrorCode
) -> None:
    large = encode_batch([Record(0, 0, None, bytes(20 << 20))], compression=Codec.LZ4)
    answer, _ = convert_for(3, large, tmp_path, max_message_bytes=max_message_bytes)
    assert answer.error_code == error


@pytest.mark.parametrize("records", [OLD, OLD + NEW], ids=["old", "mixed"])
def test_newer_consumers_get_stored_messages_as_they_are(
    tmp_path: Path, records: bytes, loop: asyncio.AbstractEventLoop
) -> None:
    log = create_log(tmp_path)
    log.active.append(records, 12, 12)
    log.log_end_offset = 13
    entry = FetchEntry("t", ZERO_UUID, 0)
    entry.partition = SimpleNamespace(log=log)  # type: ignore[assignment]
    read = log.read(1, 1 << 20, end_offset=log.end_position)
    entry.start = read.start
    assert read.slice is not None
    answer = read_of(read.slice)
    delivery = FetchDelivery(loop, Metrics(ManualClock()))
    assert delivery.deliver(4, lambda reads: "the response", [(entry, answer)]) == "the response"
    assert answer.records == records[len(OLD) // 3 :], "from the message that was asked for on"
