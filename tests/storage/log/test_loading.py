"""Opening a partition: what was synced is taken, what was not is checked, what is damaged is made anew."""

import errno
import os
from pathlib import Path

import pytest

from ottla.records.control import ControlType
from ottla.storage.log.leader_epochs import FILE_NAME
from ottla.storage.producers.producer_snapshot import encode_snapshot
from ottla.storage.producers.producer_state import ProducerEntry
from ottla.storage.segment.segment_scan import SegmentScan
from storage.partitions import NOW, PartitionWriter, check, values_of
from support.disks import FaultyDisk, os_error


class LogReadingForbidden(FaultyDisk):
    """Notices when the content of a .log file is read."""

    __slots__ = ("logs_opened",)

    def __init__(self) -> None:
        super().__init__()
        self.logs_opened: list[str] = []

    def open(self, path: str, flags: int, /) -> int:
        if path.endswith(".log"):
            self.logs_opened.append(path)
        return super().open(path, flags)


@pytest.fixture
def writer(tmp_path: Path) -> PartitionWriter:
    return PartitionWriter(tmp_path)


def fill(writer: PartitionWriter, segments: int = 3, batches: int = 10) -> None:
    for number in range(segments):
        if number:
            writer.roll()
        writer.epoch = number
        for batch in range(batches):
            sequence = number * batches + batch
            writer.append(b"value %d" % sequence, b"x" * 50, producer_id=7, sequence=2 * sequence)


def test_after_a_clean_stop_only_the_tail_of_the_active_segment_is_read(writer: PartitionWriter) -> None:
    fill(writer)
    writer.stop()
    disk = LogReadingForbidden()
    log = writer.load(is_clean=True, recovery_point=writer.end, disk=disk)
    assert [os.path.basename(path) for path in disk.logs_opened] == [f"{40:020d}.log"]
    assert (log.log_end_offset, log.recovery_point) == (60, 60)
    producer = log.producers.get(7)
    assert producer is not None
    assert producer.last_sequence == 59
    check(log)
    assert values_of(log) == writer.values


def test_after_a_crash_every_whole_batch_is_found_and_everything_is_built_anew(writer: PartitionWriter) -> None:
    fill(writer)
    writer.crash()
    for name in os.listdir(writer.path):
        if not name.endswith(".log"):
            os.unlink(os.path.join(writer.path, name))
    log = writer.load()
    check(log)
    assert values_of(log) == writer.values
    assert log.recovery_point == 0, "nothing was synced by being read"
    assert log.leader_epochs.entries == [(0, 0), (1, 20), (2, 40)]
    assert log.segments[0].offset_index.entries > 0
    producer = log.producers.get(7)
    assert producer is not None
    assert [batch.base_offset for batch in producer.batches] == [50, 52, 54, 56, 58]


def test_only_segments_past_the_recovery_point_are_read(writer: PartitionWriter) -> None:
    fill(writer)
    writer.crash()
    disk = LogReadingForbidden()
    log = writer.load(recovery_point=45, disk=disk)
    assert [os.path.basename(path) for path in disk.logs_opened] == ["00000000000000000040.log"]
    assert (log.log_end_offset, log.recovery_point) == (60, 45)
    check(log)


def test_without_a_snapshot_producers_are_read_from_the_records_before(writer: PartitionWriter) -> None:
    fill(writer)
    writer.crash()
    for offset in (20, 40):
        os.unlink(os.path.join(writer.path, f"{offset:020d}.snapshot"))
    log = writer.load(recovery_point=45)
    producer = log.producers.get(7)
    assert producer is not None
    assert producer.last_sequence == 59
    check(log)


@pytest.mark.parametrize("damage", [b"", b"\0" * 80, os.urandom(40)])
def test_a_damaged_snapshot_is_passed_over(writer: PartitionWriter, damage: bytes) -> None:
    fill(writer)
    writer.stop()
    Path(writer.path, f"{60:020d}.snapshot").write_bytes(damage)
    log = writer.load(is_clean=True, recovery_point=60)
    producer = log.producers.get(7)
    assert producer is not None
    assert producer.last_sequence == 59
    check(log)


@pytest.mark.parametrize(
    "tail",
    [
        b"\0",
        b"\0" * 4096,
        os.urandom(500),
        b"\0" * 8 + (10_000).to_bytes(4, "big") + b"\0" * 100,  # a length past the end of the file
        b"\0" * 8 + b"\xff\xff\xff\xff" + b"\0" * 100,
    ],
    ids=["one zero", "a block of zeros", "noise", "length past the end", "negative length"],
)
def test_a_nonsense_tail_is_cut(writer: PartitionWriter, tail: bytes) -> None:
    fill(writer)
    writer.crash()
    with open(os.path.join(writer.path, f"{40:020d}.log"), "ab") as file:
        file.write(tail)
    log = writer.load(recovery_point=40)
    check(log)
    assert values_of(log) == writer.values


def test_a_torn_batch_is_cut_wherever_it_was_torn(tmp_path: Path) -> None:
    writer = PartitionWriter(tmp_path)
    writer.append(b"whole")
    whole = writer.active.size
    writer.append(b"torn")
    writer.crash()
    log_path = Path(writer.path, f"{0:020d}.log")
    data = log_path.read_bytes()
    for size in range(whole, len(data)):
        log_path.write_bytes(data[:size])
        log = writer.load()
        check(log)
        assert values_of(log) == [(0, b"whole")]
        for segment in log.segments:
            segment.close()


@pytest.mark.parametrize("lost", ["one byte", "into the header", "all but one byte", "zeros", "a whole batch"])
def test_a_tail_that_was_lost_after_a_clean_stop_is_cut_and_said(
    writer: PartitionWriter, caplog: pytest.LogCaptureFixture, lost: str
) -> None:
    fill(writer)
    last = writer.active.size
    writer.append(b"lost", producer_id=8, sequence=0)
    end = writer.active.size
    writer.stop()
    path = Path(writer.path, f"{40:020d}.log")
    data = path.read_bytes()
    kept = {"one byte": end - 1, "into the header": last + 11, "all but one byte": last + 1, "a whole batch": last}
    path.write_bytes(data[:last] + bytes(end - last) if lost == "zeros" else data[: kept[lost]])
    log = writer.load(is_clean=True, recovery_point=61)
    check(log)
    assert (log.log_end_offset, log.recovery_point, log.segments[-1].size) == (60, 60, last)
    assert values_of(log) == writer.values[:-1]
    assert log.producers.get(8) is None
    producer = log.producers.get(7)
    assert producer is not None
    assert producer.last_sequence == 59
    assert "ends at offset 60, not at 61" in caplog.text


def test_a_flipped_bit_ends_the_log_and_later_segments_go(writer: PartitionWriter) -> None:
    fill(writer)
    writer.crash()
    path = Path(writer.path, f"{20:020d}.log")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    log = writer.load()
    check(log)
    assert [segment.base_offset for segment in log.segments] == [0, 20]
    assert 20 < log.log_end_offset < 40
    assert values_of(log) == [value for value in writer.values if value[0] < log.log_end_offset]
    assert not [name for name in os.listdir(writer.path) if name.startswith(f"{40:020d}")]
    assert log.leader_epochs.entries == [(0, 0), (1, 20)]


def test_a_snapshot_past_the_first_segment_that_is_read_is_not_believed(writer: PartitionWriter) -> None:
    fill(writer)
    writer.crash()
    Path(writer.path, f"{40:020d}.snapshot").write_bytes(encode_snapshot([(99, ProducerEntry(3))]))
    log = writer.load(recovery_point=0)
    assert log.producers.get(99) is None
    assert log.snapshots.offsets == [20, 40], "taken anew while reading"


@pytest.mark.parametrize("is_clean", [True, False])
def test_an_emptied_time_index_is_rebuilt_where_records_have_times(writer: PartitionWriter, is_clean: bool) -> None:
    fill(writer)
    writer.stop()
    path = Path(writer.path, f"{20:020d}.timeindex")
    sound = path.read_bytes()
    path.write_bytes(b"")
    check(writer.load(is_clean=is_clean, recovery_point=60))
    assert path.read_bytes() == sound


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
@pytest.mark.parametrize("damage", ["missing", "odd size", "impossible entry"])
def test_a_bad_index_of_a_closed_segment_is_rebuilt(writer: PartitionWriter, suffix: str, damage: str) -> None:
    fill(writer)
    writer.stop()
    path = Path(writer.path, f"{20:020d}{suffix}")
    sound = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "odd size":
        path.write_bytes(sound + b"\1")
    else:
        path.write_bytes(sound[: -len(sound) // 2] + b"\xff" * 24)
    log = writer.load(is_clean=True, recovery_point=60)
    check(log)
    assert path.read_bytes() == sound
    assert values_of(log) == writer.values


def test_a_transaction_index_is_rebuilt_with_transactions_that_began_in_earlier_segments(
    writer: PartitionWriter,
) -> None:
    writer.append(b"plain")
    writer.append(b"lost", producer_id=5, sequence=0, transactional=True)
    writer.append(b"kept", producer_id=6, sequence=0, transactional=True)
    writer.roll()
    writer.end_transaction(5, ControlType.ABORT)
    writer.end_transaction(6, ControlType.COMMIT)
    writer.roll()
    writer.append(b"after")
    writer.stop()
    path = Path(writer.path, f"{3:020d}.txnindex")
    sound = path.read_bytes()
    path.write_bytes(sound[:10])
    log = writer.load(is_clean=True, recovery_point=writer.end)
    assert [(found.producer_id, found.first_offset) for found in log.segments[1].txn_index.entries] == [(5, 1)]
    assert path.read_bytes() == sound


def test_an_open_transaction_is_open_after_a_crash(writer: PartitionWriter) -> None:
    writer.append(b"plain")
    writer.append(b"undecided", producer_id=5, sequence=0, transactional=True)
    writer.crash()
    log = writer.load()
    assert log.producers.transactions.first_unstable_offset(log.log_end_offset) == 1


def test_an_orphaned_index_is_removed(writer: PartitionWriter) -> None:
    fill(writer)
    writer.stop()
    orphan = Path(writer.path, f"{999:020d}.index")
    orphan.write_bytes(b"\0" * 8)
    writer.load(is_clean=True, recovery_point=60)
    assert not orphan.exists()


@pytest.mark.parametrize("is_clean", [True, False])
@pytest.mark.parametrize("stem", ["9" * 20, f"{2**63:020d}", f"{2**63 - 1:020d}", "backup", "0", "\u0663" * 20])
def test_a_file_whose_name_is_no_offset_is_named_and_left_alone(
    writer: PartitionWriter, caplog: pytest.LogCaptureFixture, stem: str, is_clean: bool
) -> None:
    fill(writer)
    writer.stop()
    strays = [Path(writer.path, stem + suffix) for suffix in (".log", ".index")]
    for stray in strays:
        stray.write_bytes(b"x" * 100)
    Path(writer.path, f"{stem}.snapshot").write_bytes(b"x")
    log = writer.load(is_clean=is_clean, recovery_point=60)
    assert values_of(log) == writer.values
    check(log)
    for stray in strays:
        assert stray.read_bytes() == b"x" * 100
        assert f"{stray} is left alone" in caplog.text


def test_a_damaged_epoch_file_is_rebuilt_from_the_records(writer: PartitionWriter) -> None:
    fill(writer)
    writer.stop()
    Path(writer.path, FILE_NAME).write_bytes(b"0\n3\n0 0\n")
    log = writer.load(is_clean=True, recovery_point=60)
    assert log.leader_epochs.entries == [(0, 0), (1, 20), (2, 40)]


def test_epochs_past_the_end_of_the_log_are_forgotten(writer: PartitionWriter) -> None:
    fill(writer)
    writer.epochs.assign(9, 60)
    writer.crash()
    log = writer.load(recovery_point=40)
    assert log.leader_epochs.latest_epoch == 2


def test_an_empty_directory_becomes_an_empty_log_at_its_start_offset(writer: PartitionWriter) -> None:
    writer.stop()
    for name in os.listdir(writer.path):
        os.unlink(os.path.join(writer.path, name))
    log = writer.load(log_start_offset=17)
    assert (log.log_start_offset, log.log_end_offset) == (17, 17)
    assert log.segments[0].base_offset == 17
    check(log)


def test_a_log_that_ends_before_its_start_offset_begins_anew_there(writer: PartitionWriter) -> None:
    fill(writer)
    writer.stop()
    log = writer.load(is_clean=True, recovery_point=60, log_start_offset=100)
    assert (log.log_start_offset, log.log_end_offset) == (100, 100)
    check(log)


def test_the_first_segment_is_where_the_log_starts_when_it_is_past_the_checkpoint(writer: PartitionWriter) -> None:
    fill(writer)
    writer.stop()
    for suffix in (".log", ".index", ".timeindex"):
        os.unlink(os.path.join(writer.path, f"{0:020d}{suffix}"))
    log = writer.load(is_clean=True, recovery_point=60, log_start_offset=5)
    assert log.log_start_offset == 20
    assert log.leader_epochs.entries == [(1, 20), (2, 40)]
    check(log)


def test_the_end_is_read_when_the_checkpoint_cannot_be_right(writer: PartitionWriter) -> None:
    fill(writer)
    writer.stop()
    log = writer.load(is_clean=True, recovery_point=0)
    assert log.log_end_offset == 60
    check(log)


def test_topic_id_is_read_from_partition_metadata(writer: PartitionWriter) -> None:
    writer.stop()
    assert writer.load(is_clean=True).topic_id is None
    Path(writer.path, "partition.metadata").write_bytes(b"version: 0\ntopic_id: ASNFZ4mrze8BI0VniavN7w")
    assert str(writer.load(is_clean=True).topic_id) == "01234567-89ab-cdef-0123-456789abcdef"


def test_largest_timestamp_is_known_after_a_clean_stop_and_after_a_crash(writer: PartitionWriter) -> None:
    fill(writer)
    writer.stop()
    assert writer.load(is_clean=True, recovery_point=60).segments[-1].max_timestamp == NOW + 58
    assert writer.load(recovery_point=0).segments[-1].max_timestamp == NOW + 58


@pytest.mark.parametrize("magic", [0, 1])
def test_messages_of_an_old_kafka_are_recovered_across_the_chunks_of_the_scan(tmp_path: Path, magic: int) -> None:
    writer = PartitionWriter(tmp_path)
    for number in range(6):
        if number == 3:
            writer.roll()
        writer.append_old(b"%d" % number * (3 << 20), magic=magic)
    writer.append(b"new")
    writer.crash()
    log = writer.load()
    assert [segment.size for segment in log.segments] == [segment.size for segment in writer.segments]
    assert log.log_end_offset == 7


def test_torn_message_of_an_old_kafka_is_cut_and_so_is_nonsense_that_looks_like_one(writer: PartitionWriter) -> None:
    writer.append_old(b"x" * 1000, magic=1)
    whole = writer.active.size
    writer.append_old(b"y" * (9 << 20), magic=1)
    writer.crash()
    path = Path(writer.active.log.path)
    data = path.read_bytes()
    zeros = bytes(16) + b"\x01"
    endless = (100).to_bytes(8, "big") + (1 << 30).to_bytes(4, "big") + bytes(4) + b"\x00"
    for torn in (data[:-1], data[:whole] + zeros, data[:whole] + endless, data[:whole] + endless + bytes(20 << 20)):
        path.write_bytes(torn)
        assert writer.load().segments[-1].size == whole


@pytest.mark.parametrize(("may_have_gaps", "end_offset"), [(False, 20), (True, 26)])
def test_gap_between_segments_ends_a_log_unless_compaction_may_have_made_it(
    writer: PartitionWriter, may_have_gaps: bool, end_offset: int
) -> None:
    fill(writer, segments=1)
    writer.end += 5
    writer.roll()
    writer.append(b"after the gap")
    writer.crash()
    log = writer.load(may_have_gaps=may_have_gaps)
    assert log.log_end_offset == end_offset
    assert values_of(log) == [(offset, value) for offset, value in writer.values if offset < end_offset]


def test_an_error_while_a_segment_is_scanned_names_its_file(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000.log"
    path.write_bytes(bytes(100))
    disk = FaultyDisk()
    disk.faults["pread"] = os_error(errno.EIO)
    with pytest.raises(OSError, match=r"/00000000000000000000\.log"):
        list(SegmentScan(disk, str(path), 100, 0))
