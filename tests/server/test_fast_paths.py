"""Requests that a fast path handles: the same order, numbers and errors as without it."""

import asyncio
from dataclasses import replace

import pytest

from ottla.errors import ErrorCode
from ottla.handlers.context import ClientContext
from ottla.handlers.produce import TRAITS
from ottla.handlers.registry import HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.produce import ProduceRequest, ProduceResponse
from support.servers import error_response, handler_table, running_server

VERSION = 9
ANSWER = ProduceResponse(throttle_time_ms=7)


def table_with(fast_path, handle=lambda _context, _request: ProduceResponse(throttle_time_ms=1)) -> HandlerTable:
    """Produce with a fast path in version 9 only, which gets the request; and heartbeats."""
    table = handler_table({ApiKey.HEARTBEAT: lambda _context, request: HeartbeatResponse()})

    def on_frame(_client: ClientContext, frame: memoryview, position: int):
        return fast_path(decode(ProduceRequest, VERSION, frame, position)[0])

    table.add(
        ApiKey.PRODUCE,
        handle,
        *api_info(ApiKey.PRODUCE).versions,
        error_response(ApiKey.PRODUCE),
        replace(TRAITS, fast_path_of=lambda version: on_frame if version == VERSION else None),
    )
    return table


def scenario(table: HandlerTable):
    """Runs a test with a server of this table."""

    def run(test):
        async def within():
            async with running_server(table) as running:
                await test(running)

        asyncio.run(asyncio.wait_for(within(), 60))

    return run


def test_a_fast_path_answers_and_what_it_leaves_goes_the_long_way():
    @scenario(table_with(lambda request: encode(ANSWER, VERSION) if request.acks == 1 else None))
    async def _(running):
        peer = running.connect()
        for version, acks, throttle_time_ms in [(9, 1, 7), (9, -1, 1), (8, 1, 1), (9, 1, 7)]:
            assert (await peer.ask(ProduceRequest(acks=acks), version)).throttle_time_ms == throttle_time_ms


def test_many_in_one_read_are_answered_in_order_between_others():
    @scenario(table_with(lambda request: encode(ProduceResponse(throttle_time_ms=request.timeout_ms), VERSION)))
    async def _(running):
        peer = running.connect()
        requests = [ProduceRequest(timeout_ms=n) if n % 5 else HeartbeatRequest() for n in range(1000)]
        await peer.send(b"".join(peer.request(r, VERSION if isinstance(r, ProduceRequest) else 4) for r in requests))
        for n in range(1000):
            correlation_id, response = await peer.response()
            assert correlation_id == n
            assert response.throttle_time_ms == (n if n % 5 else 0)


def test_it_waits_for_its_turn_behind_a_request_that_waits():
    waits = []

    def handle(_context, _request):
        waits.append(asyncio.get_running_loop().create_future())
        return waits[-1]

    @scenario(table_with(lambda request: encode(ANSWER, VERSION) if request.acks == 1 else None, handle))
    async def _(running):
        peer = running.connect()
        await peer.send(peer.request(ProduceRequest(acks=-1), 9) + peer.request(ProduceRequest(acks=1), 9))
        await running.until(lambda: running.metrics.counter("ottla_requests_pipelined_total").value == 1)
        waits[0].set_result(ProduceResponse())
        assert [(await peer.response())[0] for _ in range(2)] == [0, 1]


def test_it_is_counted_as_any_other_request():
    @scenario(table_with(lambda request: encode(ANSWER, VERSION) if request.acks == 1 else None))
    async def _(running):
        peer = running.connect()
        sizes = [len(peer.request(ProduceRequest(acks=acks), VERSION)) - 4 for acks in (1, 1, -1)]
        for acks in (1, 1, -1):
            await peer.ask(ProduceRequest(acks=acks), VERSION)
        counter, histogram = running.metrics.counter, running.metrics.histogram
        prefix, labels = "kafka_network_requestmetrics_", {"request": "Produce"}
        assert counter(prefix + "requests_total", {**labels, "version": "9"}).value == 3
        errors = counter(prefix + "errors_total", {**labels, "error": "NONE"})
        assert errors.value == 2  # Produce is counted by partition, and what the long way answers here has none.
        assert histogram(prefix + "requestbytes", labels).sum == sum(sizes)
        for name in ("totaltimems", "localtimems", "requestqueuetimems", "responsesendtimems"):
            assert histogram(prefix + name, labels).count == 3, name
        assert 0 < histogram(prefix + "totaltimems", labels).sum < 60_000


@pytest.mark.parametrize(("version", "codes"), [(6, 1), (7, 2), (12, 2)])
def test_an_encoded_answer_to_a_fetch_is_counted_as_its_message_is(version: int, codes: int):
    """By its partition's code, and from version 7 on by its own."""
    part = PartitionData(records=b"")
    answer = FetchResponse(responses=[FetchableTopicResponse(partitions=[part])])
    answers = [answer, encode(answer, version)]

    @scenario(handler_table({ApiKey.FETCH: lambda _context, _request: answers.pop()}))
    async def _(running):
        peer = running.connect()
        labels = {"request": "Fetch", "error": "NONE"}
        for asked in (1, 2):
            assert await peer.ask(FetchRequest(), version) == decode(FetchResponse, version, encode(answer, version))[0]
            counted = running.metrics.counter("kafka_network_requestmetrics_errors_total", labels).value
            assert counted == asked * codes


def test_a_response_of_a_fast_path_is_sent_and_its_errors_are_counted():
    @scenario(table_with(lambda request: ANSWER))
    async def _(running):
        assert (await running.connect().ask(ProduceRequest(), VERSION)).throttle_time_ms == 7


def test_a_client_that_a_fast_path_throttles_is_answered_at_once_and_read_later():
    handled: list[float] = []

    def throttle(client: ClientContext, _frame: memoryview, _position: int) -> bytes:
        handled.append(asyncio.get_running_loop().time())
        client.throttle_time_ms = 100
        return encode(ANSWER, VERSION)

    table = handler_table()
    traits = replace(TRAITS, fast_path_of=lambda version: throttle)
    table.add(ApiKey.PRODUCE, lambda _context, _request: None, VERSION, VERSION, error_response(ApiKey.PRODUCE), traits)

    @scenario(table)
    async def _(running):
        peer = running.connect()
        await peer.send(peer.request(ProduceRequest(), VERSION) + peer.request(ProduceRequest(), VERSION))
        await peer.response()
        assert len(handled) == 1
        await peer.response()
        assert handled[1] - handled[0] >= 0.1


def test_what_a_fast_path_is_told_of_its_client_is_what_others_are_told():
    told: list[ClientContext] = []

    def look(client: ClientContext, _frame: memoryview, _position: int) -> None:
        told.append(client)

    def handle(context, _request):
        told.append(context.client)
        return ProduceResponse()

    table = handler_table()
    traits = replace(TRAITS, fast_path_of=lambda version: look)
    table.add(ApiKey.PRODUCE, handle, VERSION, VERSION, error_response(ApiKey.PRODUCE), traits)

    @scenario(table)
    async def _(running):
        peer = running.connect()
        await peer.ask(ProduceRequest(acks=1), VERSION, client_id="me")
        assert told[0] is told[1]
        assert (told[0].client_id, told[0].port) == ("me", peer.sock.getsockname()[1])


def test_our_own_bug_is_answered_and_logged_and_the_connection_goes_on(caplog: pytest.LogCaptureFixture):
    def fail(_request):
        raise ZeroDivisionError("our bug")

    @scenario(table_with(fail))
    async def _(running):
        peer = running.connect()
        for _ in range(2):
            assert await peer.ask(ProduceRequest(acks=1), VERSION) == ProduceResponse()
        assert (await peer.ask(HeartbeatRequest(), 4)).error_code == ErrorCode.NONE
        assert running.metrics.counter("ottla_handler_failures_total", {"request": "Produce"}).value == 2

    assert "our bug" in caplog.text


def test_client_id_may_change_from_request_to_request():
    ids = []

    def handle(context, _request):
        ids.append(context.client_id)
        return ProduceResponse()

    @scenario(table_with(lambda request: None, handle))
    async def _(running):
        peer = running.connect()
        wanted = ["a", "a", "b", None, None, "", "a", "ab", "a\0", "a"]
        for client_id in wanted:
            for version in (8, 9, 9, 8):  # request headers without tags and with them
                await peer.ask(ProduceRequest(acks=1), version, client_id=client_id)
        assert ids == [client_id for client_id in wanted for _ in range(4)]
