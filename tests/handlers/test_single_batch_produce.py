"""The fast path of Produce responds as `handle_produce` does, byte for byte, or leaves the request to it untouched."""

import asyncio
import uuid
from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.handlers.context import ClientContext, RequestContext
from ottla.handlers.produce import ProduceHandlers
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode, encode
from ottla.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from ottla.protocol.single_batch import TOPIC_ID_VERSION, VERSIONS
from ottla.records.record import Record, encode_batch
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, batch, replicas_in

CLIENT = ClientContext("INSIDE")
OFFSETS_TOPIC = "__consumer_offsets"


def id_of(topic: str) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_OID, topic)


def body(records: memoryview | None, version: int, *, topic: str = "t", index: int = 0, acks: int = 1) -> memoryview:
    part = PartitionProduceData(index=index, records=records)
    data = TopicProduceData(name=topic, topic_id=id_of(topic), partition_data=[part])
    request = ProduceRequest(acks=acks, timeout_ms=1000, topic_data=[data])
    return memoryview(bytearray(encode(request, version)))


class Twins:
    """Two brokers with the same history: one is asked by the fast path, the other the long way."""

    def __init__(self, quick: Replicas, plain: Replicas) -> None:
        self.quick, self.plain = quick, plain
        self._quick = ProduceHandlers(quick.manager, quick.clock)
        self._plain = ProduceHandlers(plain.manager, plain.clock)

    def lead(self, topic: str = "t", **how: object) -> None:
        for replicas in (self.quick, self.plain):
            replicas.lead(topic, topic_id=id_of(topic), **how)  # type: ignore[arg-type]

    def fast_path(self, frame: memoryview, version: int) -> bytes | ProduceResponse | None:
        fast_path = self._quick.fast_path_of(version)
        assert fast_path is not None
        return fast_path(CLIENT, frame, 0)  # type: ignore[return-value]

    def ask_both(self, frame: memoryview, version: int) -> bytes:
        """The response of both, which must be the same, as must be their logs and what they count."""
        request, _ = decode(ProduceRequest, version, memoryview(bytearray(frame)))
        expected = self._plain.handle_produce(RequestContext(ApiKey.PRODUCE, version, client=CLIENT), request)
        assert isinstance(expected, ProduceResponse)
        answer = self.fast_path(frame, version)
        assert answer is not None
        encoded = answer if isinstance(answer, bytes) else encode(answer, version)
        assert encoded == encode(expected, version)
        assert stored(self.quick) == stored(self.plain)
        assert counted(self.quick) == counted(self.plain)
        return encoded


def counted(replicas: Replicas) -> bytes:
    return b"".join(replicas.metrics.render())


def stored(replicas: Replicas) -> bytes:
    log = replicas.manager.partition("t", 0).log
    read = log.read(0, 1 << 20, end_offset=log.end_position)
    if read.slice is None:
        return b""
    try:
        return bytes(read.slice.read(0, len(read.slice)))
    finally:
        read.slice.close()


def error_of(encoded: bytes, version: int) -> int:
    response, _ = decode(ProduceResponse, version, encoded)
    return response.responses[0].partition_responses[0].error_code


def idempotent(sequence: int) -> memoryview:
    records = [Record(0, 1_700_000_000_000, None, b"v", ())]
    return memoryview(bytearray(encode_batch(records, producer_id=5, producer_epoch=0, base_sequence=sequence)))


def in_transaction() -> memoryview:
    records = [Record(0, 1_700_000_000_000, None, b"v", ())]
    options = {"producer_id": 5, "producer_epoch": 0, "base_sequence": 0, "is_transactional": True}
    return memoryview(bytearray(encode_batch(records, **options)))


def broken() -> memoryview:
    records = batch()
    records[20] ^= 1
    return records


@pytest.mark.parametrize("version", VERSIONS)
@on_loop
async def test_answers_and_logs_are_those_of_the_long_way(tmp_path: Path, version: int) -> None:
    with replicas_in(tmp_path / "a") as quick, replicas_in(tmp_path / "b") as plain:
        twins = Twins(quick, plain)
        twins.lead(count=2)
        for acks in (1, -1):
            for records, index in [(batch(), 0), (batch(count=3), 0), (batch(b"x" * 20_000), 0), (batch(), 1)]:
                assert error_of(twins.ask_both(body(records, version, index=index, acks=acks), version), version) == 0


@pytest.mark.parametrize("version", VERSIONS)
@on_loop
async def test_refusals_are_those_of_the_long_way(tmp_path: Path, version: int) -> None:
    with replicas_in(tmp_path / "a") as quick, replicas_in(tmp_path / "b") as plain:
        twins = Twins(quick, plain)
        twins.lead()
        for records, code in [
            (broken(), ErrorCode.CORRUPT_MESSAGE),
            (memoryview(b""), ErrorCode.INVALID_RECORD),
            (batch(b"x" * 2_000_000), ErrorCode.MESSAGE_TOO_LARGE),
            (idempotent(7), ErrorCode.NONE),
            (idempotent(7), ErrorCode.NONE),  # a duplicate
            (idempotent(20), ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER),
        ]:
            assert error_of(twins.ask_both(body(records, version), version), version) == code


@pytest.mark.parametrize("version", VERSIONS)
@on_loop
async def test_who_asks_for_what_is_not_written_here_is_told_as_the_long_way_tells(
    tmp_path: Path, version: int
) -> None:
    with replicas_in(tmp_path / "a") as quick, replicas_in(tmp_path / "b") as plain:
        twins = Twins(quick, plain)
        twins.lead()
        twins.lead("elsewhere", isr=(BROKER_ID, 2))
        for replicas in (quick, plain):
            replicas.follow(2, 1, "elsewhere")
        by_id = version >= TOPIC_ID_VERSION
        for where, code in [
            ({"topic": "nowhere"}, ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ({"index": 4}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ({"topic": OFFSETS_TOPIC}, ErrorCode.UNKNOWN_TOPIC_ID if by_id else ErrorCode.INVALID_TOPIC_EXCEPTION),
            ({"topic": "elsewhere"}, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        ]:
            assert error_of(twins.ask_both(body(batch(), version, **where), version), version) == code


@on_loop
async def test_log_append_time_is_in_the_response(tmp_path: Path) -> None:
    how = {"message_timestamp_type": "LogAppendTime"}
    with replicas_in(tmp_path / "a", **how) as quick, replicas_in(tmp_path / "b", **how) as plain:
        twins = Twins(quick, plain)
        twins.lead()
        response, _ = decode(ProduceResponse, 9, twins.ask_both(body(batch(), 9), 9))
        assert response.responses[0].partition_responses[0].log_append_time_ms == quick.clock.wall_ms()


@on_loop
async def test_too_few_replicas_in_sync_are_refused_only_to_those_who_wait_for_them(tmp_path: Path) -> None:
    how = {"min_insync_replicas": "2"}
    with replicas_in(tmp_path / "a", **how) as quick, replicas_in(tmp_path / "b", **how) as plain:
        twins = Twins(quick, plain)
        twins.lead(replicas=(BROKER_ID, 2))
        assert error_of(twins.ask_both(body(batch(), 9, acks=1), 9), 9) == ErrorCode.NONE
        assert twins.fast_path(body(batch(), 9, acks=-1), 9) is None


@on_loop
async def test_what_must_wait_or_is_unusual_is_left_to_the_long_way_untouched(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead()
        replicas.lead("followed", isr=(BROKER_ID, 2))
        twins = Twins(replicas, replicas)
        for frame in (
            body(batch(), 9, acks=0),
            body(batch(), 9, acks=2),
            body(None, 9),
            body(batch(), 9, topic="followed", acks=-1),
            body(in_transaction(), 9),
        ):
            before = bytes(frame)
            assert twins.fast_path(frame, 9) is None
            assert bytes(frame) == before
        assert replicas.manager.partition("t", 0).log.log_end_offset == 0
        assert replicas.manager.partition("followed", 0).log.log_end_offset == 0


@on_loop
async def test_flushed_topics_are_left_to_the_long_way(tmp_path: Path) -> None:
    with replicas_in(tmp_path, flush_messages="1") as replicas:
        replicas.lead()
        assert Twins(replicas, replicas).fast_path(body(batch(), 9), 9) is None


@on_loop
async def test_small_records_do_not_overtake_those_that_are_being_opened(tmp_path: Path) -> None:
    with replicas_in(tmp_path, compression_type="gzip") as replicas:
        partition = replicas.lead()
        handlers = ProduceHandlers(replicas.manager, replicas.clock)
        fast_path = handlers.fast_path_of(9)
        assert fast_path is not None
        big = body(batch(b"x" * 20_000), 9)
        assert fast_path(CLIENT, big, 0) is None
        request, _ = decode(ProduceRequest, 9, big)
        waiting = handlers.handle_produce(RequestContext(ApiKey.PRODUCE, 9), request)
        assert fast_path(CLIENT, body(batch(), 9), 0) is None
        await asyncio.ensure_future(waiting)  # type: ignore[arg-type]
        assert isinstance(fast_path(CLIENT, body(batch(), 9), 0), bytes)
        assert partition.log.log_end_offset == 2


@on_loop
async def test_versions_with_message_sets_have_no_fast_path(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        handlers = ProduceHandlers(replicas.manager, replicas.clock)
        assert [version for version in range(14) if handlers.fast_path_of(version)] == list(VERSIONS)
