"""A fetch answers at once when it has something to say, and otherwise when its partitions do."""

import asyncio
import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from ottla.disk.file_slice import FileSlice
from ottla.errors import ErrorCode
from ottla.handlers.fetch.wait import DelayedFetch
from ottla.model import ZERO_UUID
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.replication import fetch_reader
from ottla.replication.fetch_reader import (
    READ_COMMITTED,
    SMALL_BYTES_MAX,
    FetchEntry,
    FetchParams,
    FetchReader,
    Reads,
    close_reads,
)
from ottla.replication.fetch_session import EntryKey, FetchSession
from ottla.replication.partition import PartitionAssignment
from ottla.storage.log.batch_validation import Origin
from support.disks import FaultyDisk, os_error
from support.logs import append_in_transaction, batch, end_transaction
from support.loops import on_loop
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, replicas_in, turn

Respond = Callable[[Reads], Reads | asyncio.Future[Reads]]


def fetch(
    replicas: Replicas,
    offsets: dict[tuple[str, int], int],
    *,
    wait_ms: int = 500,
    min_bytes: int = 1,
    max_bytes: int = 1 << 20,
    partition_max_bytes: int = 1 << 20,
    isolation_level: int = 0,
    replica_id: int = -1,
    last_fetched_epoch: int = -1,
    respond: Respond = lambda answers: answers,
) -> Reads | asyncio.Future[Reads]:
    """A fetch without a session."""
    session = FetchSession(0)
    for (topic, index), offset in offsets.items():
        entry = FetchEntry(topic, ZERO_UUID, index)
        entry.fetch_offset = offset
        entry.max_bytes = partition_max_bytes
        entry.last_fetched_epoch = last_fetched_epoch
        session.put(EntryKey(topic, index), entry)
    params = FetchParams(replica_id, wait_ms, min_bytes, max_bytes, isolation_level)
    delayed: DelayedFetch[Reads] = DelayedFetch(FetchReader(replicas.manager), session, params, respond, full=True)
    return delayed.start(replicas.purgatory)


def sizes(answers: Reads) -> list[int]:
    found = [entry.read_bytes for entry, _answer in answers]
    close(answers)
    return found


def close(answers: Reads) -> None:
    close_reads(answers)


@on_loop
async def test_fetch_at_the_end_waits_for_an_append(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        waiting = fetch(replicas, {("t", 0): 0})
        assert isinstance(waiting, asyncio.Future)
        assert replicas.purgatory.waiting["Fetch"] == 1
        replicas.append(partition)
        await turn()
        assert sizes(waiting.result())[0] > 0
        assert replicas.purgatory.waiting["Fetch"] == 0
        assert not partition.watchers


@on_loop
async def test_a_small_read_is_not_told_of_all_aborts_of_a_log(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        count = 500
        for producer_id in range(count):
            options = {"producer_id": producer_id, "producer_epoch": 0}
            records = batch(1, base_sequence=0, is_transactional=True, **options)
            partition.log.append_as_leader(records, 0, now_ms=0, origin=Origin.TRANSACTION)
            marker = bytearray(encode_end_txn_batch(ControlType.ABORT, coordinator_epoch=0, timestamp=0, **options))
            partition.log.append_as_leader(memoryview(marker), 0, now_ms=0, origin=Origin.COORDINATOR)
        partition.maybe_advance_high_watermark()
        for max_bytes, told_max in ((1, 50), (1 << 20, count)):
            answers = fetch(replicas, {("t", 0): 0}, partition_max_bytes=max_bytes, isolation_level=READ_COMMITTED)
            assert not isinstance(answers, asyncio.Future)
            told = [aborted.first_offset for aborted in answers[0][1].aborted_transactions or ()]
            assert told == [2 * number for number in range(len(told))]
            assert 1 <= len(told) <= told_max
            close(answers)
        assert len(told) == count


@on_loop
async def test_append_wakes_only_those_who_wait_on_that_partition(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        first, second = fetch(replicas, {("t", 0): 0}), fetch(replicas, {("t", 1): 0})
        assert isinstance(first, asyncio.Future)
        assert isinstance(second, asyncio.Future)
        replicas.append(replicas.manager.partition("t", 1))
        await turn()
        assert not first.done()
        close(second.result())


@on_loop
async def test_many_appends_in_one_turn_wake_a_fetch_once(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        waiting = fetch(replicas, {("t", 0): 0})
        assert isinstance(waiting, asyncio.Future)
        for _ in range(100):
            replicas.append(partition)
        await turn()
        assert sizes(waiting.result()) == [partition.log.end_position.position]


@on_loop
async def test_fetch_waits_until_its_partitions_have_min_bytes_together(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        one, two = (replicas.manager.partition("t", index) for index in (0, 1))
        replicas.append(one)
        size = one.log.end_position.position
        waiting = fetch(replicas, {("t", 0): 0, ("t", 1): 0}, min_bytes=3 * size)
        assert isinstance(waiting, asyncio.Future)
        replicas.append(two)
        await turn()
        assert not waiting.done()
        replicas.append(one)
        await turn()
        assert sizes(waiting.result()) == [2 * size, size]


@on_loop
async def test_min_bytes_that_go_on_in_the_next_segment_are_not_waited_for(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.append(partition)
        size = partition.log.end_position.position
        partition.log.roll(now_ms=replicas.clock.wall_ms())
        replicas.append(partition)
        answers = fetch(replicas, {("t", 0): 0}, min_bytes=2 * size)
        assert isinstance(answers, list)
        assert sizes(answers) == [size]


@on_loop
async def test_min_bytes_of_which_a_partition_gives_only_a_part_are_not_waited_for(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        for index in (0, 0, 1):
            replicas.append(replicas.manager.partition("t", index))
        size = replicas.manager.partition("t", 1).log.end_position.position
        answers = fetch(replicas, {("t", 0): 0, ("t", 1): 0}, min_bytes=3 * size, partition_max_bytes=size)
        assert isinstance(answers, list)
        assert sizes(answers) == [size, size]


@on_loop
async def test_limit_of_a_partition_does_not_end_the_wait_for_min_bytes_that_are_not_there(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        for _ in range(2):
            replicas.append(partition)
        size = partition.log.end_position.position // 2
        waiting = fetch(replicas, {("t", 0): 0}, min_bytes=3 * size, partition_max_bytes=size)
        assert isinstance(waiting, asyncio.Future)
        assert partition.log.active.log.pins == 0
        replicas.append(partition)
        await turn()
        assert sizes(waiting.result()) == [size]


@on_loop
async def test_fetch_answers_with_nothing_when_its_time_is_over(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead()
        waiting = fetch(replicas, {("t", 0): 0}, wait_ms=500)
        assert isinstance(waiting, asyncio.Future)
        await replicas.advance_ms(400)
        assert not waiting.done()
        await replicas.advance_ms(200)
        assert sizes(waiting.result()) == [0]


@on_loop
async def test_lost_leadership_ends_the_wait_with_the_error(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        waiting = fetch(replicas, {("t", 0): 0})
        assert isinstance(waiting, asyncio.Future)
        partition.become_follower(PartitionAssignment(2, 1, (2,), (1, 2), 1))
        await turn()
        [(_entry, answer)] = waiting.result()
        assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@on_loop
async def test_replica_that_is_stopped_ends_the_wait_with_the_error(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        waiting = fetch(replicas, {("t", 0): 0})
        assert isinstance(waiting, asyncio.Future)
        partition.stop()
        await turn()
        [(_entry, answer)] = waiting.result()
        assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize(("call", "number"), [("pread", errno.EIO), ("open", errno.EMFILE)])
def test_disk_that_does_not_tell_how_far_to_read_ends_the_wait_with_the_error(
    tmp_path: Path, call: str, number: int
) -> None:
    """For good, or because there are no descriptors left. An open transaction's place is looked up in the log."""

    @on_loop
    async def run() -> None:
        with replicas_in(tmp_path) as replicas:
            partition = replicas.lead()
            waiting = fetch(replicas, {("t", 0): 0}, isolation_level=READ_COMMITTED)
            assert isinstance(waiting, asyncio.Future)
            append_in_transaction(partition.log, 1, 0)
            replicas.append(partition)
            partition.log.active.log.close()
            partition.log.log_directory.disk = disk = FaultyDisk()
            disk.faults[call] = os_error(number)
            await turn()
            [(_entry, answer)] = waiting.result()
            assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
            disk.faults.clear()

    run()


@on_loop
async def test_place_of_an_open_transaction_is_looked_up_once(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.append(partition)
        append_in_transaction(partition.log, 1, 0)
        replicas.append(partition)
        assert partition.last_stable_offset.offset == 1
        partition.log.log_directory.disk = disk = FaultyDisk()
        disk.faults["pread"] = os_error(errno.EIO)
        waiting = fetch(replicas, {("t", 0): 1}, isolation_level=READ_COMMITTED)
        assert isinstance(waiting, asyncio.Future)
        for _ in range(2):
            replicas.append(partition)
            await turn()
        assert not waiting.done()
        disk.faults.clear()
        end_transaction(partition.log, 1, ControlType.COMMIT)
        partition.maybe_advance_high_watermark()
        partition.changed()
        await turn()
        assert partition.last_stable_offset == partition.high_watermark
        assert sizes(waiting.result())[0] > 0


@on_loop
async def test_client_that_goes_away_leaves_nothing_behind(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        waiting = fetch(replicas, {("t", 0): 0})
        assert isinstance(waiting, asyncio.Future)
        waiting.cancel()
        await turn()
        assert not partition.watchers
        assert replicas.purgatory.waiting["Fetch"] == 0
        assert len(replicas.wheel) == 0


@on_loop
async def test_append_is_not_read_for_a_client_that_goes_away_in_the_same_turn(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        answered: list[Reads] = []
        waiting = fetch(replicas, {("t", 0): 0}, respond=lambda answers: answered.append(answers) or answers)
        assert isinstance(waiting, asyncio.Future)
        replicas.append(partition)
        waiting.cancel()
        await turn()
        assert answered == []
        assert partition.log.active.log.pins == 0


@on_loop
async def test_fetch_with_an_error_does_not_wait(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        answers = fetch(replicas, {("t", 0): 0, ("t", 1): 5})
        assert isinstance(answers, list)
        assert [answer.error_code for _entry, answer in answers] == [0, ErrorCode.OFFSET_OUT_OF_RANGE]


@on_loop
async def test_partition_that_nobody_knows_is_told_with_the_others_and_alone_at_once(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        waiting = fetch(replicas, {("t", 0): 0, ("t", 7): 0})
        assert isinstance(waiting, asyncio.Future)
        replicas.append(partition)
        await turn()
        answers = waiting.result()
        assert [answer.error_code for _entry, answer in answers] == [0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        assert sizes(answers)[0] > 0
        alone = fetch(replicas, {("t", 7): 0})
        assert isinstance(alone, list)
        assert alone[0][1].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@on_loop
async def test_offset_out_of_range_is_told_and_offset_at_the_end_is_not(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.append(replicas.lead())
        answers = fetch(replicas, {("t", 0): 2})
        assert isinstance(answers, list)
        assert answers[0][1].error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        assert isinstance(fetch(replicas, {("t", 0): 1}), asyncio.Future)


@on_loop
async def test_records_that_an_error_takes_the_place_of_are_given_back(tmp_path: Path) -> None:
    """A broker that is no replica is found out when its fetch is noted, after the read."""
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.append(partition)
        answers = fetch(replicas, {("t", 0): 0}, replica_id=9)
        assert isinstance(answers, list)
        assert [answer.error_code for _entry, answer in answers] == [ErrorCode.NOT_LEADER_OR_FOLLOWER]
        assert sizes(answers) == [0]
        assert partition.log.active.log.pins == 0


@on_loop
async def test_fetcher_below_the_start_of_the_log_is_told_so_whatever_its_epoch(tmp_path: Path) -> None:
    """Told to truncate to where its epoch ends here, it would cut off what only it has, and still be below."""
    with replicas_in(tmp_path) as replicas:
        for epoch in (0, 2):
            partition = replicas.lead(epoch=epoch)
            for _ in range(2):
                replicas.append(partition)
        partition.log.increment_log_start_offset(1)
        for last_fetched_epoch in (0, 1, 2):
            answers = fetch(replicas, {("t", 0): 0}, last_fetched_epoch=last_fetched_epoch)
            assert isinstance(answers, list)
            [(_entry, answer)] = answers
            told = (answer.error_code, answer.diverging_epoch)
            assert told == (ErrorCode.OFFSET_OUT_OF_RANGE, None), last_fetched_epoch


@on_loop
async def test_first_batch_comes_whole_however_small_the_limits(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        for index in (0, 1):
            replicas.append(replicas.manager.partition("t", index), b"x" * 1000)
        answers = fetch(replicas, {("t", 0): 0, ("t", 1): 0}, max_bytes=10, partition_max_bytes=10)
        assert isinstance(answers, list)
        first, second = sizes(answers)
        assert first > 1000
        assert second == 0


@on_loop
async def test_later_partitions_share_what_is_left_and_give_no_part_of_a_batch_alone(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        for index in (0, 1, 1):
            replicas.append(replicas.manager.partition("t", index), b"x" * 1000)
        size = replicas.manager.partition("t", 0).log.end_position.position
        offsets = {("t", 0): 0, ("t", 1): 0}
        for max_bytes, second in ((2 * size - 1, 0), (2 * size, size), (2 * size + 100, size + 100)):
            answers = fetch(replicas, offsets, max_bytes=max_bytes)
            assert isinstance(answers, list)
            assert sizes(answers) == [size, second]
            assert [entry.is_starved for entry, _answer in answers] == [False, second == 0]


@on_loop
async def test_an_answer_of_good_size_leaves_the_other_partitions_for_the_next_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch_reader, "GOOD_RESPONSE_BYTES", 2500)
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=4)
        for index in range(4):
            replicas.append(replicas.manager.partition("t", index), b"x" * 1000)
        size = replicas.manager.partition("t", 0).log.end_position.position
        offsets = {("t", index): 0 for index in range(4)}
        answers = fetch(replicas, offsets)
        assert isinstance(answers, list)
        assert [entry.is_starved for entry, _answer in answers] == [False, False, True, True]
        assert sizes(answers) == [size, size, 0, 0]
        patient = fetch(replicas, offsets, min_bytes=4 * size)
        assert isinstance(patient, list)
        assert sizes(patient) == [size] * 4


@on_loop
async def test_one_partition_gives_all_that_the_client_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch_reader, "GOOD_RESPONSE_BYTES", 10)
    with replicas_in(tmp_path) as replicas:
        for _ in range(2):
            replicas.append(replicas.lead(), b"x" * 1000)
        answers = fetch(replicas, {("t", 0): 0})
        assert isinstance(answers, list)
        assert sizes(answers) == [replicas.manager.partition("t", 0).log.end_position.position]


@on_loop
async def test_offsets_are_checked_when_there_is_no_room_left(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        for index in (0, 1):
            replicas.append(replicas.manager.partition("t", index))
        answers = fetch(replicas, {("t", 0): 0, ("t", 1): 7}, max_bytes=1)
        assert isinstance(answers, list)
        assert [answer.error_code for _entry, answer in answers] == [0, ErrorCode.OFFSET_OUT_OF_RANGE]
        close(answers)


@on_loop
async def test_topic_recreated_under_the_same_name_is_another_topic(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.append(replicas.lead())
        session = FetchSession(0, uses_topic_ids=True)
        entry = FetchEntry("t", TOPIC_ID, 0)
        entry.max_bytes = 100
        session.put(EntryKey(TOPIC_ID, 0), entry)
        result = FetchReader(replicas.manager).read([entry], FetchParams(-1, 0, 1, 1 << 20, 0))
        assert result.total_bytes > 0
        close(result.reads)


@pytest.mark.parametrize("is_done_first", [False, True])
def test_slices_of_an_answer_that_came_too_late_for_its_connection_are_given_back(
    tmp_path: Path, is_done_first: bool
) -> None:
    """The records had to be brought in from the disk; the consumer went away meanwhile, or just as it was done."""

    @on_loop
    async def run() -> None:
        brought_in: asyncio.Future[Reads] = asyncio.get_running_loop().create_future()
        found: list[Reads] = []

        def respond(answers: Reads) -> asyncio.Future[Reads]:
            found.append(answers)
            return brought_in

        with replicas_in(tmp_path) as replicas:
            partition = replicas.lead()
            waiting = fetch(replicas, {("t", 0): 0}, respond=respond)
            assert isinstance(waiting, asyncio.Future)
            replicas.append(partition, bytes(SMALL_BYTES_MAX))
            await turn()
            records = found[0][0][1].records
            assert isinstance(records, FileSlice)
            assert records.file.pins == 1
            if is_done_first:
                brought_in.set_result(found[0])
            waiting.cancel()
            if not is_done_first:
                brought_in.set_result(found[0])
            await turn()
            await turn()
            assert records.file.pins == 0

    run()


@on_loop
async def test_who_comes_to_the_wrong_broker_is_told_the_right_one(tmp_path: Path) -> None:
    """KIP-951, behaviour 22: with the error, and not with others."""
    with replicas_in(tmp_path) as replicas:
        replicas.lead(epoch=4, isr=(BROKER_ID, 2))
        replicas.follow(2, 5)
        answers = fetch(replicas, {("t", 0): 0, ("t", 7): 0})
        assert isinstance(answers, list)
        told = [(answer.error_code, answer.current_leader) for _entry, answer in answers]
        assert told == [
            (ErrorCode.NOT_LEADER_OR_FOLLOWER, (2, 5)),
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None),
        ]
