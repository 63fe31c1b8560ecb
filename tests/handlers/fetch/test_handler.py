"""Fetch requests in, responses out, over real logs."""

import asyncio
import uuid
from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.handlers.context import ClientContext, RequestContext
from ottla.handlers.fetch.handler import VERSIONS, FetchHandlers
from ottla.handlers.fetch.plan import CONVERTED_BYTES_MAX
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode, encode
from ottla.protocol.messages.fetch import FetchRequest, FetchResponse
from ottla.records.attributes import Codec
from ottla.records.record import Record, encode_batch
from support.fetch_handlers import handlers_of
from support.loops import on_loop
from support.raw_requests import BIG, fetch_partition, fetch_request
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, replicas_in


@pytest.mark.parametrize(("max_bytes", "response_bytes_max"), [(1000, BIG), (BIG, 1000)])
@on_loop
async def test_min_bytes_beyond_what_an_answer_may_have_are_not_waited_for(
    tmp_path: Path, max_bytes: int, response_bytes_max: int
) -> None:
    """By the client's word or the broker's. Up to that they are."""
    with replicas_in(tmp_path) as replicas, handlers_of(replicas, response_bytes_max) as handlers:
        partition = replicas.lead()
        request = fetch_request("t", [fetch_partition(0)], wait_ms=500, min_bytes=5000, max_bytes=max_bytes)
        context = RequestContext(ApiKey.FETCH, 12)
        replicas.append(partition, bytes(500))
        waiting = handlers.handle_fetch(context, request)
        assert isinstance(waiting, asyncio.Future)
        waiting.cancel()
        replicas.append(partition, bytes(500))
        response = handlers.handle_fetch(context, request)
        assert isinstance(response, bytes)
        decoded, _ = decode(FetchResponse, 12, response)
        assert len(decoded.responses[0].partitions[0].records) == 1000


def told(handlers: FetchHandlers, request: FetchRequest, version: int, listener: str) -> tuple[object, list[object]]:
    """What a client decodes: by partition its error and the leader, and where the leaders listen."""
    response = handlers.handle_fetch(RequestContext(ApiKey.FETCH, version, client=ClientContext(listener)), request)
    assert isinstance(response, FetchResponse)
    decoded, _ = decode(FetchResponse, version, encode(response, version))
    leaders = {
        part.partition_index: (part.error_code, part.current_leader.leader_id, part.current_leader.leader_epoch)
        for part in decoded.responses[0].partitions
    }
    return leaders, [(node.node_id, node.host, node.port, node.rack) for node in decoded.node_endpoints]


@pytest.mark.parametrize("version", [12, 15, 16])
@on_loop
async def test_who_believes_in_an_old_leader_is_told_the_new_one_and_where_it_listens(
    tmp_path: Path, version: int
) -> None:
    """KIP-951, behaviour 22: by the listener on which the client asks, and only beside errors that say so."""
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        replicas.lead(count=2, epoch=4, isr=(BROKER_ID, 2))
        replicas.follow(2, 5)
        topic: str | uuid.UUID = TOPIC_ID if version >= 13 else "t"
        moved, other = fetch_partition(0, current_leader_epoch=4), fetch_partition(0, 7)
        fenced, unknown = (ErrorCode.FENCED_LEADER_EPOCH, 2, 5), (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, -1)
        for listener, place in [("INSIDE", ("inside2", 1)), ("OUTSIDE", ("outside2", 2))]:
            nodes = [(2, *place, "rack")] if version >= 16 else []
            request = fetch_request(topic, [moved, other])
            assert told(handlers, request, version, listener) == ({0: fenced, 7: unknown}, nodes)
        assert told(handlers, fetch_request(topic, [other]), version, "INSIDE") == ({7: unknown}, [])


async def outcome(
    replicas: Replicas, handlers: FetchHandlers, version: int, offset: int, *, waits: bool
) -> tuple[int, int]:
    """Error code and magic byte of what a fetch gets that waits for a record, or comes when it is there."""
    request = fetch_request(TOPIC_ID if version >= 13 else "t", [fetch_partition(offset)], wait_ms=500)
    answer = handlers.handle_fetch(RequestContext(ApiKey.FETCH, version), request) if waits else None
    replicas.manager.append(replicas.manager.partition("t", 0), zstd_batch(), 1, 9, replicas.clock.wall_ms())
    if answer is None:
        answer = handlers.handle_fetch(RequestContext(ApiKey.FETCH, version), request)
    found = await answer if isinstance(answer, asyncio.Future) else answer
    encoded = found if isinstance(found, bytes) else encode(found, version)
    data = decode(FetchResponse, version, encoded)[0].responses[0].partitions[0]
    return data.error_code, data.records[16] if data.records else -1


def zstd_batch() -> memoryview:
    return memoryview(bytearray(encode_batch([Record(0, 1_700_000_000_000, None, b"v")], compression=Codec.ZSTD)))


@pytest.mark.parametrize("version", range(VERSIONS[1] + 1))
@pytest.mark.parametrize("configs", [{"compression_type": "zstd"}, {"message_downconversion_enable": "false"}, {}])
@on_loop
async def test_fetch_that_waited_is_refused_what_one_that_found_records_is(
    tmp_path: Path, version: int, configs: dict[str, str]
) -> None:
    with replicas_in(tmp_path, **configs) as replicas, handlers_of(replicas) as handlers:
        replicas.lead()
        waited = await outcome(replicas, handlers, version, 0, waits=True)
        found = await outcome(replicas, handlers, version, 0, waits=False)
        assert waited == found
        is_refused = version < 4 or (version < 10 and "compression_type" in configs)
        assert (waited[0] != ErrorCode.NONE) == is_refused


RECORD_BYTES = 100_000


async def fetch_converted(handlers: FetchHandlers, version: int, *indexes: int) -> dict[int, int]:
    """How many bytes of each partition a client of old gets, in their order, if it takes whatever it is given."""
    request = fetch_request("t", [fetch_partition(0, index) for index in indexes])
    answer = handlers.handle_fetch(RequestContext(ApiKey.FETCH, version), request)
    response = answer if isinstance(answer, FetchResponse) else await answer
    assert isinstance(response, FetchResponse)
    (topic,) = response.responses
    return {part.partition_index: len(part.records) for part in topic.partitions}


@pytest.mark.parametrize("version", range(4))
@on_loop
async def test_few_megabytes_are_converted_for_one_answer_whatever_the_client_would_take(
    tmp_path: Path, version: int
) -> None:
    with replicas_in(tmp_path) as replicas, handlers_of(replicas) as handlers:
        replicas.lead(count=2)
        for index in range(2):
            for _ in range(30):
                replicas.append(replicas.manager.partition("t", index), bytes(RECORD_BYTES))
        answers = [await fetch_converted(handlers, version, 0, 1) for _ in range(2)]
        for answer in answers:
            assert CONVERTED_BYTES_MAX - 2 * RECORD_BYTES < sum(answer.values()) <= CONVERTED_BYTES_MAX
        assert [next(iter(answer)) for answer in answers] == [0, 1], "who comes second comes first the next time"


@on_loop
async def test_batch_larger_than_an_answer_of_converted_records_is_given_whole(tmp_path: Path) -> None:
    large = CONVERTED_BYTES_MAX + 1000
    with replicas_in(tmp_path, max_message_bytes=str(2 * large)) as replicas, handlers_of(replicas) as handlers:
        replicas.append(replicas.lead(), bytes(large))
        assert (await fetch_converted(handlers, 2, 0))[0] > large
