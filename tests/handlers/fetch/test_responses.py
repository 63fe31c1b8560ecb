"""Responses that are packed are those that are made of messages, byte for byte."""

import asyncio
import errno
import random
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from ottla.errors import ErrorCode, KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.fetch.handler import VERSIONS, FetchHandlers
from ottla.model import TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode, encode
from ottla.protocol.messages.fetch import FetchPartition, FetchResponse
from ottla.records.control import ControlType
from ottla.replication.fetch_reader import READ_COMMITTED, SMALL_BYTES_MAX, PartitionRead
from support.disks import FaultyDisk, os_error
from support.fetch_handlers import handlers_of
from support.logs import append_in_transaction, end_transaction
from support.loops import on_loop
from support.raw_requests import fetch_partition, fetch_request
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, replicas_in, turn

FIRST_BY_ID_VERSION = 13
VERSION = 12
NO_SESSION = (0, -1)


def ask(
    handlers: FetchHandlers,
    version: int,
    *parts: FetchPartition,
    session: tuple[int, int],
    topic: uuid.UUID = TOPIC_ID,
    **fields: Any,
) -> Any:
    request = fetch_request(
        topic if version >= FIRST_BY_ID_VERSION else "t",
        parts,
        session_id=session[0],
        session_epoch=session[1],
        **fields,
    )
    return handlers.handle_fetch(RequestContext(ApiKey.FETCH, version), request)


def wait(
    handlers: FetchHandlers,
    *parts: FetchPartition,
    version: int = VERSION,
    session: tuple[int, int] = NO_SESSION,
    **fields: Any,
) -> asyncio.Future[Any]:
    waiting = ask(handlers, version, *parts, session=session, wait_ms=500, **fields)
    assert isinstance(waiting, asyncio.Future)
    return waiting


def long_way(
    handlers: FetchHandlers, *parts: FetchPartition, version: int = VERSION, session_id: int = 0, **fields: Any
) -> bytes:
    """The response of messages, to who comes when the records are there already."""
    with patch.object(PartitionRead, "is_plain", False):
        response = ask(handlers, version, *parts, session=NO_SESSION, **fields)
    assert isinstance(response, FetchResponse)
    response.session_id = session_id
    return encode(response, version)


def packed(handlers: FetchHandlers, *parts: FetchPartition, version: int = VERSION, **fields: Any) -> bytes:
    """The response to who comes when the records are there already."""
    response = ask(handlers, version, *parts, session=NO_SESSION, **fields)
    assert isinstance(response, bytes)
    return response


@pytest.mark.parametrize("isolation_level", [0, READ_COMMITTED])
@pytest.mark.parametrize("version", range(4, VERSIONS[1] + 1))
@on_loop
async def test_fetches_that_waited_and_those_that_found_records(
    tmp_path: Path, version: int, isolation_level: int
) -> None:
    how = {"version": version, "isolation_level": isolation_level}
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        replicas.lead(count=2)
        for index in (0, 1):
            partition = replicas.manager.partition("t", index)
            for size in (1, 30, 60, 200, 5000):  # Lengths of one and of two bytes.
                part = fetch_partition(partition.log.log_end_offset, index)
                waiting = wait(handlers, part, **how)
                replicas.append(partition, bytes(size))
                await turn()
                assert waiting.result() == long_way(handlers, part, **how) == packed(handlers, part, **how)


@on_loop
async def test_an_answer_has_all_that_came_and_knows_where_the_log_begins(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        partition = replicas.lead()
        for _ in range(3):
            replicas.append(partition)
        size = partition.log.end_position.position // 3
        partition.log.increment_log_start_offset(2)
        waiting = wait(handlers, fetch_partition(3), min_bytes=3 * size)
        for count in range(3):
            assert not waiting.done(), count
            replicas.append(partition)
            await turn()
        assert waiting.result() == long_way(handlers, fetch_partition(3))
        assert decode(FetchResponse, VERSION, waiting.result())[0].responses[0].partitions[0].log_start_offset == 2


@on_loop
async def test_read_committed_consumers_get_what_is_decided_and_no_more(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        partition = replicas.lead()
        waiting = wait(handlers, fetch_partition(0), isolation_level=READ_COMMITTED)
        replicas.append(partition)
        append_in_transaction(partition.log, 1, 0)
        replicas.append(partition)
        await turn()
        answer = decode(FetchResponse, VERSION, waiting.result())[0].responses[0].partitions[0]
        assert (answer.high_watermark, answer.last_stable_offset) == (4, 1)
        assert waiting.result() == long_way(handlers, fetch_partition(0), isolation_level=READ_COMMITTED)


@on_loop
async def test_sessions_go_on_from_a_short_answer_as_from_a_long_one(tmp_path: Path) -> None:
    """With three partitions: only the one with news is named, and only where it has some."""
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        replicas.lead(count=3)
        partition = replicas.manager.partition("t", 1)
        parts = [fetch_partition(0, index) for index in range(3)]
        session_id = ask(handlers, VERSION, *parts, session=(0, 0)).session_id
        for epoch in range(1, 7, 2):
            offset = partition.log.log_end_offset
            waiting = wait(handlers, fetch_partition(offset, 1), session=(session_id, epoch))
            replicas.append(partition)
            await turn()
            expected = long_way(handlers, fetch_partition(offset, 1), session_id=session_id)
            assert waiting.result() == expected
            nothing = ask(handlers, VERSION, fetch_partition(offset + 1, 1), session=(session_id, epoch + 1))
            assert (nothing.session_id, nothing.responses) == (session_id, [])


@on_loop
async def test_sessions_begin_with_a_short_answer(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        partition = replicas.lead()
        waiting = wait(handlers, fetch_partition(0), session=(0, 0))
        replicas.append(partition)
        await turn()
        session_id = decode(FetchResponse, VERSION, waiting.result())[0].session_id
        assert session_id != 0
        assert waiting.result() == long_way(handlers, fetch_partition(0), session_id=session_id)
        nothing = ask(handlers, VERSION, fetch_partition(1), session=(session_id, 1))
        assert (nothing.session_id, nothing.responses) == (session_id, [])


@on_loop
async def test_a_topic_made_anew_under_its_name_is_named_by_its_own_id(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        for topic_id in (TOPIC_ID, uuid.uuid4()):
            partition = replicas.lead(topic_id=topic_id)
            waiting = wait(handlers, fetch_partition(0), version=FIRST_BY_ID_VERSION, topic=topic_id)
            replicas.append(partition)
            await turn()
            response, _ = decode(FetchResponse, FIRST_BY_ID_VERSION, waiting.result())
            assert response.responses[0].topic_id == topic_id
            replicas.manager.stop(TopicPartition("t", 0), delete=True)


@pytest.mark.parametrize("seed", range(4))
@on_loop
async def test_any_request_is_responded_to_as_with_messages(tmp_path: Path, seed: int) -> None:
    """Of one partition or several, within limits or not, of any version, aborted records among the others."""
    rng = random.Random(seed)
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        replicas.lead(count=3)
        for index in range(2):
            partition = replicas.manager.partition("t", index)
            for _ in range(20):
                replicas.append(partition, rng.randbytes(rng.choice([1, 100, SMALL_BYTES_MAX])))
        append_in_transaction(partition.log, 1, 0)
        end_transaction(partition.log, 1, ControlType.ABORT)
        replicas.append(partition)
        for _ in range(150):
            version = rng.randint(4, VERSIONS[1])
            indexes = rng.sample(range(4), k=rng.choice([1, 1, 1, 2, 3]))
            limit = rng.choice([1, 100, 10_000, 1 << 20])
            parts = [fetch_partition(rng.randint(0, 24), index, limit) for index in indexes]
            how = {
                "isolation_level": rng.choice([0, READ_COMMITTED]),
                "max_bytes": rng.choice([1, 5000, 1 << 20]),
                "session": (0, rng.choice([-1, 3])),
            }
            assert response_of(handlers, version, parts, how) == messages_of(handlers, version, parts, how)


def response_of(handlers: FetchHandlers, version: int, parts: list[FetchPartition], how: dict[str, Any]) -> bytes:
    try:
        response = ask(handlers, version, *parts, **how)
    except KafkaError as error:
        return type(error).__name__.encode()
    return response if isinstance(response, bytes) else encode(response, version)


def messages_of(handlers: FetchHandlers, version: int, parts: list[FetchPartition], how: dict[str, Any]) -> bytes:
    with patch.object(PartitionRead, "is_plain", False):
        return response_of(handlers, version, parts, how)


def large(replicas: Replicas) -> None:
    replicas.append(replicas.manager.partition("t", 0), bytes(SMALL_BYTES_MAX))


def small(replicas: Replicas) -> None:
    replicas.append(replicas.manager.partition("t", 0))


def small_and_deleted(replicas: Replicas) -> None:
    for _ in range(2):
        small(replicas)
    replicas.manager.partition("t", 0).log.increment_log_start_offset(1)


def small_in_the_next_segment(replicas: Replicas) -> None:
    small(replicas)
    replicas.manager.partition("t", 0).log.roll(now_ms=replicas.clock.wall_ms())
    small(replicas)


def small_in_the_next_epoch(replicas: Replicas) -> None:
    small(replicas)
    replicas.lead(epoch=1, count=2)


def small_and_led_elsewhere(replicas: Replicas) -> None:
    """Who names a rack may go on reading here."""
    small(replicas)
    replicas.follow(2, 1)


def small_and_aborted(replicas: Replicas) -> None:
    partition = replicas.manager.partition("t", 0)
    append_in_transaction(partition.log, 1, 0)
    end_transaction(partition.log, 1, ControlType.ABORT)
    small(replicas)


def small_on_a_broken_disk(replicas: Replicas) -> None:
    small(replicas)
    replicas.manager.partition("t", 0).log.log_directory.disk = disk = FaultyDisk()
    disk.faults["pread"] = os_error(errno.EIO)


@pytest.mark.parametrize(
    ("happens", "asked", "error", "aborted"),
    [
        (large, {}, ErrorCode.NONE, None),
        (small, {"max_bytes": 20}, ErrorCode.NONE, None),
        (small_and_deleted, {}, ErrorCode.OFFSET_OUT_OF_RANGE, None),
        (small_in_the_next_segment, {}, ErrorCode.NONE, None),
        (small_in_the_next_epoch, {}, ErrorCode.NONE, None),
        (small_and_led_elsewhere, {}, ErrorCode.NONE, None),
        (small_and_aborted, {"isolation_level": READ_COMMITTED}, ErrorCode.NONE, [(1, 0)]),
        (small_on_a_broken_disk, {}, ErrorCode.KAFKA_STORAGE_ERROR, None),
    ],
)
def test_whatever_happens_while_a_fetch_waits(
    tmp_path: Path,
    happens: Callable[[Replicas], None],
    asked: dict[str, Any],
    error: ErrorCode,
    aborted: list[tuple[int, int]] | None,
) -> None:
    @on_loop
    async def run() -> None:
        with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
            replicas.lead(count=2, isr=(BROKER_ID,))
            waiting = wait(handlers, fetch_partition(0), **asked)
            happens(replicas)
            await turn()
            found = waiting.result()
            encoded = found if isinstance(found, bytes) else encode(found, VERSION)
            [answer] = decode(FetchResponse, VERSION, encoded)[0].responses[0].partitions
            assert answer.error_code == error
            told = answer.aborted_transactions
            assert (told and [(each.producer_id, each.first_offset) for each in told]) == aborted
            if error == ErrorCode.NONE:
                assert encoded == long_way(handlers, fetch_partition(0), **asked)

    run()


@on_loop
async def test_followers_and_fetches_of_several_partitions(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        partition = replicas.lead(count=2, isr=(BROKER_ID, 2))
        for parts, who in (([0, 1], -1), ([0], 2)):
            asked = [fetch_partition(partition.log.log_end_offset if index == 0 else 0, index) for index in parts]
            waiting = wait(handlers, *asked, replica_id=who)
            replicas.append(partition)
            partition.high_watermark = partition.log.end_position
            partition.changed()
            await turn()
            found = waiting.result()
            encoded = found if isinstance(found, bytes) else encode(found, VERSION)
            answers = decode(FetchResponse, VERSION, encoded)[0].responses[0].partitions
            assert [answer.partition_index for answer in answers] == parts
            assert len(answers[0].records) > 0
