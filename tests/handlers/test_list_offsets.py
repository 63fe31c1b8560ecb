"""ListOffsets by version and by the special timestamps."""

import os
from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.handlers.context import RequestContext
from ottla.handlers.list_offsets import (
    EARLIEST,
    EARLIEST_LOCAL,
    EARLIEST_PENDING_UPLOAD,
    LATEST,
    LATEST_TIERED,
    MAX_TIMESTAMP,
    ListOffsetsHandlers,
)
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from ottla.records.control import ControlType
from ottla.replication.fetch_reader import READ_COMMITTED
from ottla.replication.partition import Partition
from support.logs import append_in_transaction, batch, end_transaction
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, replicas_in

TIMESTAMP = 1_700_000_000_000


def ask(
    replicas: Replicas,
    timestamp: int,
    version: int = 11,
    *,
    count: int = 1,
    twice: bool = False,
    epoch: int = -1,
    replica_id: int = -1,
    isolation_level: int = 0,
) -> ListOffsetsPartitionResponse:
    part = ListOffsetsPartition(
        partition_index=0, timestamp=timestamp, max_num_offsets=count, current_leader_epoch=epoch
    )
    topics = [ListOffsetsTopic(name="t", partitions=[part] * (2 if twice else 1))]
    request = ListOffsetsRequest(replica_id=replica_id, isolation_level=isolation_level, topics=topics)
    handlers = ListOffsetsHandlers(replicas.manager, replicas.clock)
    response = handlers.handle_list_offsets(RequestContext(ApiKey.LIST_OFFSETS, version), request)
    return response.topics[0].partitions[0]


@on_loop
async def test_ends_of_the_log_have_no_timestamp(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(epoch=3)
        for _ in range(4):
            replicas.append(partition)
        partition.log.increment_log_start_offset(1)
        for timestamp, offset in [(EARLIEST, 1), (LATEST, 4), (EARLIEST_LOCAL, 1)]:
            answer = ask(replicas, timestamp)
            assert (answer.offset, answer.timestamp, answer.leader_epoch) == (offset, -1, 3)


@on_loop
async def test_latest_is_the_last_stable_offset_for_who_reads_what_is_committed(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.append(partition)
        opened_at = append_in_transaction(partition.log, 1, 0)
        end = replicas.append(partition) + 1
        assert opened_at < partition.high_watermark.offset == end
        assert ask(replicas, LATEST).offset == end
        assert ask(replicas, LATEST, isolation_level=READ_COMMITTED).offset == opened_at
        end_transaction(partition.log, 1, ControlType.COMMIT)
        partition.maybe_advance_high_watermark()
        assert ask(replicas, LATEST, isolation_level=READ_COMMITTED).offset == end + 1


@on_loop
async def test_time_finds_the_first_record_not_older(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        for _ in range(3):
            replicas.append(partition)
        assert ask(replicas, TIMESTAMP - 5).offset == 0
        assert ask(replicas, TIMESTAMP).timestamp == TIMESTAMP
        after = ask(replicas, TIMESTAMP + 1)
        assert (after.offset, after.timestamp, after.error_code) == (-1, -1, ErrorCode.NONE)
        assert ask(replicas, MAX_TIMESTAMP).offset in range(3)


@on_loop
async def test_special_timestamps_need_their_version(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.append(replicas.lead())
        first_versions = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}
        for timestamp, version in first_versions.items():
            assert ask(replicas, timestamp, version - 1).error_code == ErrorCode.UNSUPPORTED_VERSION
            assert ask(replicas, timestamp, version).error_code == ErrorCode.NONE
        assert ask(replicas, -7).error_code == ErrorCode.UNSUPPORTED_VERSION
        assert ask(replicas, LATEST_TIERED).offset == -1


@on_loop
async def test_partition_named_twice_and_wrong_epochs_are_refused(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(epoch=2)
        assert ask(replicas, LATEST, twice=True).error_code == ErrorCode.INVALID_REQUEST
        assert ask(replicas, LATEST, epoch=1).error_code == ErrorCode.FENCED_LEADER_EPOCH
        assert ask(replicas, LATEST, epoch=3).error_code == ErrorCode.UNKNOWN_LEADER_EPOCH


@on_loop
async def test_version_0_lists_segment_starts_newest_first(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        for _ in range(3):
            replicas.append(partition)
            partition.log.roll(now_ms=replicas.clock.wall_ms())
        replicas.append(partition)
        assert ask(replicas, LATEST, 0, count=10).old_style_offsets == [4, 3, 2, 1, 0]
        assert ask(replicas, LATEST, 0, count=2).old_style_offsets == [4, 3]
        assert ask(replicas, EARLIEST, 0, count=10).old_style_offsets == [0]
        assert ask(replicas, 0, 0, count=10).old_style_offsets == []


@on_loop
async def test_version_0_goes_by_when_segments_were_written(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        now_ms = replicas.clock.wall_ms()
        for _ in range(3):
            replicas.append(partition)
            partition.log.roll(now_ms=now_ms)
        replicas.append(partition)
        for number, segment in enumerate(partition.log.segments):
            written_s = now_ms / 1000 - 100 + 10 * number
            os.utime(segment.log.path, (written_s, written_s))
        assert ask(replicas, now_ms - 85_000, 0, count=10).old_style_offsets == [1, 0]
        assert ask(replicas, now_ms - 85_000, 0, count=1).old_style_offsets == [1]
        assert ask(replicas, now_ms, 0, count=10).old_style_offsets == [4, 3, 2, 1, 0]


@on_loop
async def test_version_0_tells_a_consumer_of_nothing_past_the_high_watermark(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        for _ in range(3):
            replicas.append(partition)
            partition.log.roll(now_ms=replicas.clock.wall_ms())
        assert partition.high_watermark.offset == 0
        assert ask(replicas, LATEST, 0, count=10).old_style_offsets == [0]
        assert ask(replicas, LATEST, 0, count=10, replica_id=2).old_style_offsets == [3, 2, 1, 0]


@pytest.mark.parametrize(
    ("version", "error"), [(4, ErrorCode.LEADER_NOT_AVAILABLE), (5, ErrorCode.OFFSET_NOT_AVAILABLE)]
)
def test_new_leader_does_not_say_where_the_end_is_before_it_knows(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """Its high watermark may be behind that of the leader before it until its own epoch is committed (KIP-207)."""

    @on_loop
    async def run() -> None:
        with replicas_in(tmp_path) as replicas:
            partition = replicas.lead(isr=(BROKER_ID, 2))
            replicas.append(partition)
            replicas.append(partition)
            assert ask(replicas, LATEST, version).error_code == ErrorCode.NONE
            replicas.lead(epoch=1, isr=(BROKER_ID, 2))
            assert ask(replicas, LATEST, version).error_code == error
            assert ask(replicas, EARLIEST, version).error_code == ErrorCode.NONE
            partition.note_follower_fetch(2, partition.log.end_position, 0, -1)
            answer = ask(replicas, LATEST, version)
            assert (answer.error_code, answer.offset) == (ErrorCode.NONE, 2)

    run()


FOLLOWER_ID = 2


def lead_anew(replicas: Replicas) -> Partition:
    """A new leader of records 0 at TIMESTAMP and 1 ten later, that knows only of the first that it is committed."""
    partition = replicas.lead(isr=(BROKER_ID, FOLLOWER_ID))
    for number in range(2):
        records = batch(1, timestamp=TIMESTAMP + 10 * number)
        replicas.manager.append(partition, records, 1, 9, replicas.clock.wall_ms())
    partition.note_follower_fetch(FOLLOWER_ID, partition.log.position_of(1), 0, -1)
    return replicas.lead(epoch=1, isr=(BROKER_ID, FOLLOWER_ID))


@pytest.mark.parametrize(
    ("timestamp", "version", "error", "offset"),
    [
        (TIMESTAMP + 10, 4, ErrorCode.LEADER_NOT_AVAILABLE, 1),
        (TIMESTAMP + 10, 5, ErrorCode.OFFSET_NOT_AVAILABLE, 1),
        (TIMESTAMP + 11, 4, ErrorCode.LEADER_NOT_AVAILABLE, -1),
        (TIMESTAMP + 11, 5, ErrorCode.OFFSET_NOT_AVAILABLE, -1),
        (MAX_TIMESTAMP, 7, ErrorCode.OFFSET_NOT_AVAILABLE, 1),
    ],
)
def test_new_leader_does_not_say_that_no_record_has_a_time_before_it_knows(
    tmp_path: Path, timestamp: int, version: int, error: ErrorCode, offset: int
) -> None:
    @on_loop
    async def run() -> None:
        with replicas_in(tmp_path) as replicas:
            partition = lead_anew(replicas)
            assert ask(replicas, timestamp, version).error_code == error
            partition.note_follower_fetch(FOLLOWER_ID, partition.log.end_position, 0, -1)
            answer = ask(replicas, timestamp, version)
            assert (answer.error_code, answer.offset) == (ErrorCode.NONE, offset)

    run()


@on_loop
async def test_new_leader_answers_a_time_that_a_record_below_its_high_watermark_has(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        lead_anew(replicas)
        answer = ask(replicas, TIMESTAMP)
        assert (answer.error_code, answer.offset, answer.timestamp) == (ErrorCode.NONE, 0, TIMESTAMP)


@pytest.mark.parametrize(
    ("timestamp", "offset"),
    [(TIMESTAMP, 0), (TIMESTAMP + 10, 1), (TIMESTAMP + 11, -1), (MAX_TIMESTAMP, 1), (LATEST, 2)],
)
def test_new_leader_answers_followers_by_its_log_end(tmp_path: Path, timestamp: int, offset: int) -> None:
    @on_loop
    async def run() -> None:
        with replicas_in(tmp_path) as replicas:
            lead_anew(replicas)
            answer = ask(replicas, timestamp, replica_id=FOLLOWER_ID)
            assert (answer.error_code, answer.offset) == (ErrorCode.NONE, offset)

    run()
