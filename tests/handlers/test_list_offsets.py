"""ListOffsets by version and by the special timestamps."""

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
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, replicas_in

TIMESTAMP = 1_700_000_000_000


def ask(
    replicas: Replicas, timestamp: int, version: int = 11, *, count: int = 1, twice: bool = False, epoch: int = -1
) -> ListOffsetsPartitionResponse:
    part = ListOffsetsPartition(
        partition_index=0, timestamp=timestamp, max_num_offsets=count, current_leader_epoch=epoch
    )
    topics = [ListOffsetsTopic(name="t", partitions=[part] * (2 if twice else 1))]
    request = ListOffsetsRequest(replica_id=-1, topics=topics)
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
