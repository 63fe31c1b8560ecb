"""Produce requests in, responses out, over real logs."""

import asyncio
import uuid
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from ottla.errors import ErrorCode
from ottla.errors.kafka import InvalidRequiredAcksError, TransactionalIdAuthorizationFailedError
from ottla.handlers.context import ClientContext, CloseConnection, RequestContext
from ottla.handlers.produce import ProduceHandlers
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode, encode
from ottla.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from ottla.records.attributes import Codec
from ottla.records.batch import decode_header
from ottla.records.record import Record, encode_batch
from support.loops import on_loop
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, batch, replicas_in, turn

BIG = b"x" * 20_000


def request(
    records: memoryview | None, *, topic: str = "t", index: int = 0, acks: int = 1, topic_id: uuid.UUID = TOPIC_ID
) -> ProduceRequest:
    part = PartitionProduceData(index=index, records=records)
    data = TopicProduceData(name=topic, topic_id=topic_id, partition_data=[part])
    return ProduceRequest(acks=acks, timeout_ms=1000, topic_data=[data])


async def respond(handlers: ProduceHandlers, message: ProduceRequest, version: int, listener: str) -> ProduceResponse:
    """The response as a client decodes it."""
    if version < 13:
        message.topic_data[0].topic_id = uuid.UUID(int=0)
    response: Any = handlers.handle_produce(
        RequestContext(ApiKey.PRODUCE, version, client=ClientContext(listener)), message
    )
    while isinstance(response, Awaitable):
        response = await response
    assert isinstance(response, ProduceResponse)
    return decode(ProduceResponse, version, encode(response, version))[0]


async def handle(handlers: ProduceHandlers, message: ProduceRequest, version: int = 9) -> PartitionProduceResponse:
    return (await respond(handlers, message, version, "INSIDE")).responses[0].partition_responses[0]


def handlers_of(replicas: Replicas) -> ProduceHandlers:
    return ProduceHandlers(replicas.manager, replicas.clock)


@on_loop
async def test_base_offset_counts_records(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead()
        handlers = handlers_of(replicas)
        offsets = [(await handle(handlers, request(batch(count=3)))).base_offset for _ in range(3)]
        assert offsets == [0, 3, 6]


@on_loop
async def test_topic_is_found_by_id_from_version_13_on(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead()
        handlers = handlers_of(replicas)
        assert (await handle(handlers, request(batch(), topic=""), 13)).error_code == ErrorCode.NONE
        unknown = request(batch(), topic="", topic_id=uuid.UUID(int=99))
        assert (await handle(handlers, unknown, 13)).error_code == ErrorCode.UNKNOWN_TOPIC_ID


@on_loop
async def test_each_partition_has_its_own_error(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead()
        handlers = handlers_of(replicas)
        broken = batch()
        broken[20] ^= 1
        for message, code in [
            (request(batch(), index=5), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            (request(batch(), topic="__consumer_offsets"), ErrorCode.INVALID_TOPIC_EXCEPTION),
            (request(broken), ErrorCode.CORRUPT_MESSAGE),
            (request(None), ErrorCode.INVALID_RECORD),
        ]:
            answer = await handle(handlers, message)
            assert answer.error_code == code
            assert answer.base_offset == -1
            assert answer.error_message


def told(response: ProduceResponse) -> tuple[int, tuple[int, int], list[tuple[int, str, int, str | None]]]:
    answer = response.responses[0].partition_responses[0]
    leader = (answer.current_leader.leader_id, answer.current_leader.leader_epoch)
    nodes = [(node.node_id, node.host, node.port, node.rack) for node in response.node_endpoints]
    return answer.error_code, leader, nodes


@pytest.mark.parametrize("version", [9, 10, 13])
@on_loop
async def test_who_comes_to_the_wrong_broker_is_told_the_right_one_and_where_it_listens(
    tmp_path: Path, version: int
) -> None:
    """KIP-951, behaviour 22: by the listener on which the client asks, and only beside this error."""
    with replicas_in(tmp_path) as replicas:
        replicas.lead(epoch=4, isr=(BROKER_ID, 2))
        replicas.lead("mine")
        replicas.follow(2, 5)
        handlers = handlers_of(replicas)
        known = version >= 10
        for listener, place in [("INSIDE", ("inside2", 1)), ("OUTSIDE", ("outside2", 2))]:
            assert told(await respond(handlers, request(batch()), version, listener)) == (
                ErrorCode.NOT_LEADER_OR_FOLLOWER,
                (2, 5) if known else (-1, -1),
                [(2, *place, "rack")] if known else [],
            )
        unreachable = told(await respond(handlers, request(batch()), version, "NO_SUCH_LISTENER"))
        assert unreachable == (ErrorCode.NOT_LEADER_OR_FOLLOWER, (2, 5) if known else (-1, -1), [])
        elsewhere = told(await respond(handlers, request(batch(), index=7), version, "INSIDE"))
        assert elsewhere == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, (-1, -1), [])
        if version < 13:
            mine = told(await respond(handlers, request(batch(), topic="mine"), version, "INSIDE"))
            assert mine == (ErrorCode.NONE, (-1, -1), [])


@on_loop
async def test_records_whose_leader_moves_while_they_wait_are_not_called_unwritten(tmp_path: Path) -> None:
    """NOT_LEADER_OR_FOLLOWER would say so to librdkafka, which then sends them under another sequence."""
    with replicas_in(tmp_path) as replicas:
        replicas.lead(epoch=4, isr=(BROKER_ID, 2))
        waiting = asyncio.ensure_future(respond(handlers_of(replicas), request(batch(), acks=-1), 10, "INSIDE"))
        await turn()
        replicas.follow(2, 5)
        assert told(await waiting) == (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, (-1, -1), [])


@on_loop
async def test_what_is_not_acknowledged_in_time_is_told_without_an_offset(tmp_path: Path) -> None:
    """Of two partitions of a request, the one that has no other replica has its offset and its time all the same."""
    with replicas_in(tmp_path, message_timestamp_type="LogAppendTime") as replicas:
        replicas.lead(isr=(BROKER_ID, 2))
        replicas.lead("mine")
        both = request(batch(), acks=-1)
        both.topic_data += request(batch(), topic="mine").topic_data
        for topic in both.topic_data:
            topic.topic_id = uuid.UUID(int=0)
        waiting: Any = handlers_of(replicas).handle_produce(RequestContext(ApiKey.PRODUCE, 9), both)
        await replicas.advance_ms(1100)
        told = [topic.partition_responses[0] for topic in waiting.result().responses]
        now_ms = told[1].log_append_time_ms
        assert [(part.error_code, part.base_offset, part.log_append_time_ms) for part in told] == [
            (ErrorCode.REQUEST_TIMED_OUT, -1, -1),
            (ErrorCode.NONE, 0, now_ms),
        ]
        assert now_ms > 0


@on_loop
async def test_acks_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead()
        with pytest.raises(InvalidRequiredAcksError):
            await handle(handlers_of(replicas), request(batch(), acks=2))


@on_loop
async def test_records_of_a_transaction_need_its_id_and_somebody_who_began_it(tmp_path: Path) -> None:
    """Without an id nothing of the request is appended, as Kafka has it; nobody can begin a transaction yet."""
    options = {"producer_id": 5, "producer_epoch": 0, "base_sequence": 0, "is_transactional": True}
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(count=2)
        in_transaction = memoryview(bytearray(encode_batch([Record(0, 1_700_000_000_000, None, b"v")], **options)))
        both = request(batch())
        both.topic_data += request(in_transaction, index=1).topic_data
        for message in (request(in_transaction), both):
            with pytest.raises(TransactionalIdAuthorizationFailedError):
                await handle(handlers_of(replicas), message)
        begun_by_nobody = request(in_transaction)
        begun_by_nobody.transactional_id = "payments"
        answer = await handle(handlers_of(replicas), begun_by_nobody)
        assert answer.error_code == ErrorCode.INVALID_TXN_STATE
        assert partition.log.log_end_offset == 0


@on_loop
async def test_acks_zero_has_no_response_and_an_error_closes_the_connection(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        handlers = handlers_of(replicas)
        context = RequestContext(ApiKey.PRODUCE, 9)
        good, bad = request(batch(), acks=0), request(batch(), acks=0, index=9)
        for message in (good, bad):
            message.topic_data[0].topic_id = uuid.UUID(int=0)
        assert handlers.handle_produce(context, good) is None
        assert partition.log.log_end_offset == 1
        with pytest.raises(CloseConnection, match="UNKNOWN_TOPIC_OR_PARTITION"):
            handlers.handle_produce(context, bad)


@on_loop
async def test_heavy_records_are_prepared_apart_and_appended_in_the_order_they_came(tmp_path: Path) -> None:
    with replicas_in(tmp_path, compression_type="gzip") as replicas:
        partition = replicas.lead()
        handlers = handlers_of(replicas)
        values = [BIG, b"small", BIG, b"small"]
        answers = await asyncio.gather(*(handle(handlers, request(batch(value))) for value in values))
        assert [answer.base_offset for answer in answers] == [0, 1, 2, 3]
        read = partition.log.read(0, 1 << 20, end_offset=partition.log.end_position)
        assert read.slice is not None
        stored = read.slice.read(0, len(read.slice))
        read.slice.close()
        assert decode_header(stored).compression == Codec.GZIP


@on_loop
async def test_heavy_record_that_is_refused_holds_nobody_up(tmp_path: Path) -> None:
    with replicas_in(tmp_path, compression_type="gzip", max_message_bytes="10000") as replicas:
        replicas.lead()
        handlers = handlers_of(replicas)
        first, second = await asyncio.gather(
            handle(handlers, request(batch(BIG))), handle(handlers, request(batch(b"small")))
        )
        assert first.error_code == ErrorCode.MESSAGE_TOO_LARGE
        assert second.base_offset == 0


@on_loop
async def test_null_key_on_a_compacted_topic_names_the_record(tmp_path: Path) -> None:
    with replicas_in(tmp_path, cleanup_policy="compact") as replicas:
        replicas.lead()
        answer = await handle(handlers_of(replicas), request(batch(count=2)))
        assert answer.error_code == ErrorCode.INVALID_RECORD
        assert [error.batch_index for error in answer.record_errors][:1] == [0]


@on_loop
async def test_produce_that_waits_for_replicas_lets_go_of_its_frame(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(isr=(BROKER_ID, 2))
        frame = bytearray(batch(BIG))
        message = request(memoryview(frame), acks=-1)
        message.topic_data[0].topic_id = uuid.UUID(int=0)
        waiting = handlers_of(replicas).handle_produce(RequestContext(ApiKey.PRODUCE, 9), message)
        assert isinstance(waiting, asyncio.Future)
        frame.append(0)  # BufferError while anybody has a view of it.
        waiting.cancel()


@on_loop
async def test_records_that_are_opened_in_a_thread_are_counted_meanwhile(tmp_path: Path) -> None:
    with replicas_in(tmp_path, compression_type="gzip") as replicas:
        replicas.lead()
        frame = bytearray(batch(BIG))
        message = request(memoryview(frame))
        message.topic_data[0].topic_id = uuid.UUID(int=0)
        context = RequestContext(ApiKey.PRODUCE, 9)
        deferred: Any = handlers_of(replicas).handle_produce(context, message)
        assert context.held_bytes == len(frame)
        frame.append(0)
        assert (await deferred).responses[0].partition_responses[0].error_code == ErrorCode.NONE


@on_loop
async def test_wait_for_replicas_behind_a_thread_can_be_given_up(tmp_path: Path) -> None:
    with replicas_in(tmp_path, compression_type="gzip") as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        message = request(batch(BIG), acks=-1)
        message.topic_data[0].topic_id = uuid.UUID(int=0)
        deferred: Any = handlers_of(replicas).handle_produce(RequestContext(ApiKey.PRODUCE, 9), message)
        waiting = await deferred
        assert partition.watchers
        waiting.cancel()
        await turn()
        assert not partition.watchers


def idempotent(sequence: int) -> ProduceRequest:
    rows = [Record(0, 1_700_000_000_000, None, b"%d" % sequence)]
    sent = encode_batch(rows, producer_id=7, producer_epoch=0, base_sequence=sequence)
    return request(memoryview(bytearray(sent)), acks=-1)


@pytest.mark.parametrize("refused_as", ["not here yet", "not led", "short of replicas"])
@on_loop
async def test_what_a_new_producer_sent_behind_a_refused_batch_is_not_written_before_it(
    tmp_path: Path, refused_as: str
) -> None:
    with replicas_in(tmp_path, min_insync_replicas="2") as replicas:
        handlers = handlers_of(replicas)
        if refused_as == "not led":
            replicas.lead(isr=(BROKER_ID, 2))
            replicas.follow(2, 1)
        elif refused_as == "short of replicas":
            replicas.lead(replicas=(BROKER_ID, 2))
        assert (await handle(handlers, idempotent(0))).error_code in (
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            ErrorCode.NOT_LEADER_OR_FOLLOWER,
            ErrorCode.NOT_ENOUGH_REPLICAS,
        )
        log = replicas.lead(epoch=2).log
        for sequence, code in [
            (1, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
            (0, ErrorCode.NONE),
            (1, ErrorCode.NONE),
        ]:
            assert (await handle(handlers, idempotent(sequence))).error_code == code
        assert log.log_end_offset == 2
