"""The log equals a list: whatever is appended, truncated, rolled, deleted, stopped and crashed, in whatever order."""

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ottla.errors.kafka import KafkaStorageError, OffsetOutOfRangeError
from ottla.records.attributes import Codec
from ottla.storage.log.partition_log import PartitionLog
from support.disks import FaultyDisk
from support.logs import NOW_MS, batch, create_log, decode_records, next_offset, open_log, read_all, take

RECORDS = st.lists(st.tuples(st.integers(0, 1000), st.binary(max_size=60)), min_size=1, max_size=5)
CODECS = st.sampled_from([Codec.NONE, Codec.NONE, Codec.LZ4])
CONFIG = {"segment_bytes": 900, "index_interval_bytes": 150, "segment_index_bytes": 80, "segment_ms": 500}


class LogModel(RuleBasedStateMachine):
    """The model: every batch that is in the log as (first offset, list of (timestamp, value)), and its bounds."""

    log: PartitionLog

    @initialize(base_offset=st.sampled_from([0, 1000, 2**40]))
    def create(self, base_offset: int) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.disk = FaultyDisk()
        self.log = create_log(self.root, base_offset=base_offset, disk=self.disk, **CONFIG)
        self.batches: list[tuple[int, list[tuple[int, bytes]]]] = []
        self.start = self.end = base_offset
        self.epochs: dict[int, int] = {}
        self.epoch = 0
        self.sequence = 0
        self.flushed = base_offset

    def teardown(self) -> None:
        if hasattr(self, "root"):
            self.log.log_directory.handles.close_all()
            shutil.rmtree(self.root)

    # -- what happens to a log ----------------------------------------------------------------------------------------

    @rule(records=RECORDS, codec=CODECS, is_idempotent=st.booleans())
    def append(self, records: list[tuple[int, bytes]], codec: Codec, is_idempotent: bool) -> None:
        producer = {"producer_id": 1, "producer_epoch": 0, "base_sequence": self.sequence} if is_idempotent else {}
        data = batch(
            [value for _, value in records],
            timestamps=[timestamp for timestamp, _ in records],
            compression=codec,
            **producer,
        )
        info = self.log.append_as_leader(data, self.epoch, now_ms=NOW_MS)
        assert (info.first_offset, info.last_offset) == (self.end, self.end + len(records) - 1)
        self.batches.append((self.end, records))
        self.epochs.setdefault(self.epoch, self.end)
        self.end += len(records)
        self.sequence += len(records) if is_idempotent else 0

    @rule(records=RECORDS, codec=CODECS, is_idempotent=st.booleans(), room=st.integers(0, 400))
    def append_to_a_nearly_full_disk(
        self, records: list[tuple[int, bytes]], codec: Codec, is_idempotent: bool, room: int
    ) -> None:
        """Either it is all there or nothing is; an append that rolls writes indexes and a snapshot too."""
        self.disk.room = room
        with suppress(KafkaStorageError):
            self.append(records, codec, is_idempotent)
        self.disk.room = None

    @rule()
    def lead_again(self) -> None:
        self.epoch += 1

    @rule()
    def roll(self) -> None:
        self.log.roll(now_ms=NOW_MS)

    @precondition(lambda self: self.batches)
    @rule(data=st.data())
    def truncate(self, data: st.DataObject) -> None:
        offset = data.draw(st.integers(self.batches[0][0], self.end + 2))
        is_cut = self.log.truncate_to(offset, now_ms=NOW_MS)
        assert is_cut == (offset < self.end)
        if is_cut:
            self.cut_to(offset)

    @rule(distance=st.integers(0, 50))
    def truncate_fully(self, distance: int) -> None:
        new_start = max(0, self.end + distance - 20)
        self.log.truncate_fully(new_start, now_ms=NOW_MS)
        self.batches, self.epochs = [], {}
        self.start = self.end = self.flushed = new_start
        self.sequence = self.log_sequence()

    @precondition(lambda self: self.end > self.start)
    @rule(data=st.data())
    def delete_records(self, data: st.DataObject) -> None:
        offset = data.draw(st.integers(self.start, self.end))
        self.log.increment_log_start_offset(offset)
        self.start = offset

    @rule(data=st.data())
    def delete_segments(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(0, self.log.deletable_segments(lambda segment, end: True, self.end)))
        self.log.delete_oldest(count, now_ms=NOW_MS)
        self.start = max(self.start, self.log.segments.first.base_offset)
        self.batches = [entry for entry in self.batches if entry[0] >= self.log.segments.first.base_offset]

    @rule()
    def flush(self) -> None:
        self.log.flush()
        assert self.log.recovery_point == self.end
        self.flushed = self.end

    @rule()
    def stop_and_start(self) -> None:
        self.log.flush()
        epochs = self.log.leader_epochs
        self.log.close()
        self.log = open_log(self.root, recovery_point=self.end, log_start_offset=self.start, disk=self.disk, **CONFIG)
        assert not self.log.leader_epochs.entries, "the file of the epochs is the log manager's"
        for entry in epochs.entries:
            self.log.assign_epoch_start(*entry)
        self.flushed = self.end

    @rule(data=st.data())
    def crash(self, data: st.DataObject) -> None:
        """The last file loses some of its unsynced end, and may end in rubbish instead."""
        recovery_point = self.log.recovery_point
        active = self.log.active
        cut = data.draw(st.integers(self.position_of(self.flushed), active.size))
        rubbish = data.draw(st.sampled_from([b"", b"", b"\0" * 100, b"rubbish"]))
        path = Path(active.log.path)
        before = path.read_bytes()
        after = before[:cut] + rubbish  # which may by chance be what was there
        whole = [first for first, _ in self.batches if after.startswith(before[: self.end_position_of(first)])]
        path.write_bytes(after)
        epochs = list(self.log.leader_epochs.entries)
        self.log.log_directory.handles.close_all()
        self.log = open_log(
            self.root,
            is_clean=False,
            recovery_point=recovery_point,
            log_start_offset=min(self.start, recovery_point),
            disk=self.disk,
            **CONFIG,
        )
        self.after_crash(whole, epochs, recovery_point)

    def after_crash(self, whole: list[int], epochs: list[tuple[int, int]], recovery_point: int) -> None:
        lost = [first for first, _ in self.batches if first not in whole]
        if lost:
            self.cut_to(min(lost))
        assert self.log.log_end_offset == self.end
        for epoch, start in epochs:
            if start < self.end and epoch > self.log.leader_epochs.latest_epoch:
                self.log.assign_epoch_start(epoch, start)
        self.epochs = dict(self.log.leader_epochs.entries)
        self.start = self.log.log_start_offset
        self.sequence = self.log_sequence()
        assert self.end >= recovery_point

    # -- what it must equal -------------------------------------------------------------------------------------------

    @invariant()
    def equals_the_list(self) -> None:
        if not hasattr(self, "log"):
            return
        assert (self.log.log_start_offset, self.log.log_end_offset) == (self.start, self.end)
        found = [(record.offset, record.timestamp, record.value) for record in read_all(self.log)]
        assert found == self.expected(self.start)

    @invariant()
    def keeps_its_own_rules(self) -> None:
        if hasattr(self, "log"):
            self.log.check_invariants()
            assert self.log.leader_epochs.latest_epoch <= self.epoch
            files = {path.name for path in Path(self.log.directory).glob("*.log")}
            assert files == {Path(segment.log.path).name for segment in self.log.segments}

    @precondition(lambda self: self.end > self.start)
    @rule(data=st.data(), max_bytes=st.integers(1, 2000))
    def read(self, data: st.DataObject, max_bytes: int) -> None:
        offset = data.draw(st.integers(self.start, self.end - 1))
        limit = data.draw(st.sampled_from([first for first, _ in self.batches if first > offset] or [self.end]))
        end = self.log.position_of(limit)
        content = take(self.log.read(offset, max_bytes, end_offset=end, minimum_one_batch=True))
        records = [record for record in decode_records(content) if record.offset >= offset]
        expected = self.expected(offset)
        assert [(r.offset, r.timestamp, r.value) for r in records] == expected[: len(records)]
        assert records
        assert next_offset(content) <= limit
        assert len(content) <= max(max_bytes, len(decode_first(content)))

    @rule()
    def read_out_of_range(self) -> None:
        for offset in (self.start - 1, self.end + 1):
            with pytest.raises(OffsetOutOfRangeError):
                self.log.read(offset, 100, end_offset=self.log.end_position)

    @rule(timestamp=st.integers(0, 1001))
    def find_timestamp(self, timestamp: int) -> None:
        expected = next(((o, t) for o, t, _ in self.expected(self.start) if t >= timestamp), (-1, -1))
        assert self.log.offset_for_timestamp(timestamp)[:2] == expected

    # -- the model ----------------------------------------------------------------------------------------------------

    def expected(self, offset: int) -> list[tuple[int, int, bytes]]:
        return [
            (first + number, timestamp, value)
            for first, records in self.batches
            for number, (timestamp, value) in enumerate(records)
            if first + number >= offset
        ]

    def cut_to(self, offset: int) -> None:
        kept = [entry for entry in self.batches if entry[0] + len(entry[1]) <= offset]
        dropped = [first for first, _ in self.batches[len(kept) :]]
        self.end = min([offset, *dropped])
        self.batches = kept
        self.start, self.flushed = min(self.start, self.end), min(self.flushed, self.end)
        self.sequence = self.log_sequence()

    def log_sequence(self) -> int:
        """Which sequence comes next is the log's own word: snapshots and replay are tested by its acceptance."""
        entry = self.log.producers.get(1)
        return entry.last_sequence + 1 if entry else 0

    def position_of(self, offset: int) -> int:
        """Where a crash may begin to cut the active segment's file when all below `offset` is on disk."""
        active = self.log.active
        place = active.find(offset) if offset >= active.base_offset else None
        return place.position if place else (active.size if offset > active.base_offset else 0)

    def end_position_of(self, first: int) -> int:
        """Where a batch ends in the active segment's file; 0 for batches of earlier segments, which a crash spares."""
        place = self.log.active.find(first) if first >= self.log.active.base_offset else None
        return place.end_position if place else 0


def decode_first(content: bytes) -> bytes:
    return content[: 12 + int.from_bytes(content[8:12], "big")]


TestLogModel = LogModel.TestCase
TestLogModel.settings = settings(deadline=None, max_examples=80, stateful_step_count=25)


@pytest.mark.long
@pytest.mark.timeout(1800)
class TestLogModelLong(LogModel.TestCase):
    settings = settings(deadline=None, max_examples=1000, stateful_step_count=50)
