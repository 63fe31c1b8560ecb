import asyncio
import struct

import pytest

from ottla.errors import ErrorCode
from ottla.errors.kafka import GroupAuthorizationFailedError
from ottla.handlers.context import NO_RESPONSE, CloseConnection
from ottla.handlers.fetch.plan import is_from_follower
from ottla.handlers.registry import Traits, always
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.protocol.messages.fetch import FetchRequest, FetchResponse, ReplicaState
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.metadata import MetadataRequest, MetadataResponse
from ottla.protocol.messages.produce import ProduceRequest, ProduceResponse
from ottla.replication.purgatory import PromptFuture
from ottla.server import ListenerSpec
from support.connections import framed, is_readable
from support.servers import handler_table, running_server


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


def heartbeat(generation: int) -> HeartbeatRequest:
    return HeartbeatRequest(group_id="g", generation_id=generation, member_id="m")


def echo_generation(_context, request: HeartbeatRequest) -> HeartbeatResponse:
    return HeartbeatResponse(throttle_time_ms=request.generation_id)


SOFTWARE = {"client_software_name": "test", "client_software_version": "1.0"}


@pytest.mark.parametrize("version", range(5))
def test_api_versions_advertises_exactly_the_table_in_every_version(version: int):
    async def scenario():
        async with running_server(handler_table({ApiKey.HEARTBEAT: echo_generation})) as running:
            peer = running.connect()
            for _ in range(2):
                response = await peer.ask(ApiVersionsRequest(**SOFTWARE), version)
                assert response.error_code == 0
                ranges = [(key.api_key, key.min_version, key.max_version) for key in response.api_keys]
                assert ranges == [(12, 0, 4), (18, 0, 4)]

    run(scenario())


def test_unsupported_version_of_api_versions_is_answered_as_version_0_with_its_own_range():
    async def scenario():
        async with running_server() as running:
            peer = running.connect()
            await peer.send(framed(struct.pack(">hhi", 18, 9, 77) + b"whatever a later version has"))
            frame = await peer.receive_frame()
            assert frame == struct.pack(">ih", 77, ErrorCode.UNSUPPORTED_VERSION) + struct.pack(">ihhh", 1, 18, 0, 4)
            assert (await peer.ask(ApiVersionsRequest(), 0)).error_code == 0

    run(scenario())


@pytest.mark.parametrize("name", ["", "-x", "x-", "a b", "a\n", "ä"])
def test_api_versions_refuses_a_software_name_that_is_none(name: str):
    async def scenario():
        async with running_server() as running:
            peer = running.connect()
            request = ApiVersionsRequest(client_software_name=name, client_software_version="1")
            assert (await peer.ask(request, 3)).error_code == ErrorCode.INVALID_REQUEST
            assert (await peer.ask(ApiVersionsRequest(), 2)).error_code == 0

    run(scenario())


@pytest.mark.parametrize("version", [0, 3, 4])
def test_handler_is_told_who_asks(version: int):
    contexts = []

    def handle(context, request):
        contexts.append(context)
        return HeartbeatResponse()

    async def scenario():
        async with running_server(handler_table({ApiKey.HEARTBEAT: handle})) as running:
            peer = running.connect()
            await peer.ask(heartbeat(1), version, client_id="who")
            await peer.ask(heartbeat(1), version, client_id=None)
            context = contexts[0]
            assert (context.api_key, context.api_version, context.correlation_id) == (12, version, 0)
            assert (context.client_id, contexts[1].client_id) == ("who", None)
            assert (context.listener_name, context.client_host) == ("PLAINTEXT", "127.0.0.1")
            assert context.client_port == peer.sock.getsockname()[1]
            assert context.principal == "User:ANONYMOUS"

    run(scenario())


def test_pipelined_requests_are_answered_in_order_also_when_some_wait():
    async def scenario():
        waits: list[asyncio.Future] = []

        def handle(_context, request):
            if request.generation_id % 3:
                return HeartbeatResponse(throttle_time_ms=request.generation_id)
            future = asyncio.get_running_loop().create_future()
            waits.append(future)
            asyncio.get_running_loop().call_soon(
                future.set_result, HeartbeatResponse(throttle_time_ms=request.generation_id)
            )
            return future

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle})) as running:
            peer = running.connect()
            await peer.send(b"".join(peer.request(heartbeat(n), 3) for n in range(200)))
            for n in range(200):
                assert (await peer.response()) == (n, HeartbeatResponse(throttle_time_ms=n))

    run(scenario())


def test_wait_that_ends_is_answered_in_the_same_turn():
    async def scenario():
        waiting = []

        def wait(_context, request):
            waiting.append(PromptFuture(loop=asyncio.get_running_loop()))
            return waiting[0]

        async with running_server(handler_table({ApiKey.HEARTBEAT: wait})) as running:
            peer = running.connect()
            asked = asyncio.ensure_future(peer.ask(heartbeat(1), 4))
            await running.until(lambda: bool(waiting))
            waiting[0].set_result(HeartbeatResponse(throttle_time_ms=7))
            assert not is_readable(peer.sock)
            waiting[0].tell()
            assert is_readable(peer.sock, 20)
            assert (await asked).throttle_time_ms == 7

    run(scenario())


def test_request_behind_one_that_waits_is_not_handled():
    async def scenario():
        handled: list[int] = []
        first = asyncio.get_running_loop().create_future()

        def handle(_context, request):
            handled.append(request.generation_id)
            return first if request.generation_id == 0 else HeartbeatResponse()

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle})) as running:
            peer, other = running.connect(), running.connect()
            await peer.send(peer.request(heartbeat(0), 1) + peer.request(heartbeat(1), 1))
            await other.ask(heartbeat(9), 1)
            await running.until(lambda: 0 in handled)
            await other.ask(heartbeat(9), 1)
            assert 1 not in handled
            first.set_result(HeartbeatResponse())
            assert [(await peer.response())[0] for _ in range(2)] == [0, 1]

    run(scenario())


def test_up_to_five_produce_requests_are_handled_early_and_answered_in_order():
    async def scenario():
        waiting: list[asyncio.Future] = []

        def produce(_context, _request):
            waiting.append(asyncio.get_running_loop().create_future())
            return waiting[-1]

        table = handler_table({ApiKey.PRODUCE: produce, ApiKey.HEARTBEAT: echo_generation})
        async with running_server(table) as running:
            peer, other = running.connect(), running.connect()
            await peer.send(b"".join(peer.request(ProduceRequest(acks=-1), 9) for _ in range(7)))
            await peer.send(peer.request(heartbeat(5), 4))
            await running.until(lambda: len(waiting) == 5)
            await other.ask(heartbeat(1), 4)
            assert len(waiting) == 5
            for future in reversed(waiting[1:5]):
                future.set_result(ProduceResponse())
            await other.ask(heartbeat(1), 4)
            assert len(waiting) == 5
            waiting[0].set_result(ProduceResponse())
            assert [(await peer.response())[0] for _ in range(5)] == [0, 1, 2, 3, 4]
            await running.until(lambda: len(waiting) == 7)
            for future in waiting[5:]:
                future.set_result(ProduceResponse())
            assert [(await peer.response())[0] for _ in range(3)] == [5, 6, 7]
            assert running.metrics.counter("ottla_requests_pipelined_total").value >= 4

    run(scenario())


def test_produce_answered_at_once_waits_for_its_turn_behind_one_that_waits():
    async def scenario():
        first = asyncio.get_running_loop().create_future()

        def produce(_context, request):
            return first if request.acks == -1 else ProduceResponse(throttle_time_ms=7)

        table = handler_table({ApiKey.PRODUCE: produce, ApiKey.HEARTBEAT: echo_generation})
        async with running_server(table) as running:
            peer, other = running.connect(), running.connect()
            await peer.send(peer.request(ProduceRequest(acks=-1), 9) + peer.request(ProduceRequest(acks=1), 9))
            await other.ask(heartbeat(1), 4)
            await running.until(lambda: running.metrics.counter("ottla_requests_pipelined_total").value == 1)
            first.set_result(ProduceResponse())
            assert [(await peer.response())[0] for _ in range(2)] == [0, 1]

    run(scenario())


def test_request_without_response_is_followed_by_the_next_one():
    async def scenario():
        table = handler_table({ApiKey.PRODUCE: lambda c, r: NO_RESPONSE, ApiKey.HEARTBEAT: echo_generation})
        async with running_server(table) as running:
            peer = running.connect()
            await peer.send(peer.request(ProduceRequest(acks=0), 7) + peer.request(heartbeat(3), 1))
            assert await peer.response() == (1, HeartbeatResponse(throttle_time_ms=3))

    run(scenario())


def test_coroutine_handlers_answer_too():
    async def scenario():
        async def handle(_context, request):
            await asyncio.sleep(0)
            return NO_RESPONSE if request.generation_id == 0 else HeartbeatResponse()

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle})) as running:
            peer = running.connect()
            await peer.send(peer.request(heartbeat(0), 1) + peer.request(heartbeat(1), 1))
            assert (await peer.response())[0] == 1

    run(scenario())


@pytest.mark.parametrize("waits", [False, True])
def test_kafka_error_of_a_handler_is_answered_with_its_code(waits: bool):
    async def scenario():
        def handle(_context, _request):
            raise GroupAuthorizationFailedError("no")

        async def handle_later(context, request):
            return handle(context, request)

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle_later if waits else handle})) as running:
            response = await running.connect().ask(heartbeat(1), 4)
            assert response.error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED

    run(scenario())


@pytest.mark.parametrize("waits", [False, True])
def test_bug_in_a_handler_is_logged_once_and_answered_as_unknown_server_error(caplog, waits: bool):
    async def scenario():
        def handle(_context, _request):
            raise ZeroDivisionError("our bug")

        async def handle_later(context, request):
            return handle(context, request)

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle_later if waits else handle})) as running:
            peer = running.connect()
            for _ in range(3):
                response = await peer.ask(heartbeat(1), 4)
                assert response.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
            assert running.metrics.counter("ottla_handler_failures_total", {"request": "Heartbeat"}).value == 3

    run(scenario())
    assert caplog.text.count("Traceback") == 1
    assert "our bug" in caplog.text


def test_handler_can_close_the_connection():
    async def scenario():
        def produce(_context, _request):
            raise CloseConnection("an error with acks=0")

        async with running_server(handler_table({ApiKey.PRODUCE: produce})) as running:
            peer = running.connect()
            await peer.send(peer.request(ProduceRequest(acks=0), 7))
            assert await peer.at_end()
            assert running.bad_frames() == 0

    run(scenario())


def test_wait_of_a_request_is_cancelled_when_its_client_goes():
    async def scenario():
        future = asyncio.get_running_loop().create_future()
        async with running_server(handler_table({ApiKey.HEARTBEAT: lambda c, r: future})) as running:
            peer = running.connect()
            await peer.send(peer.request(heartbeat(1), 1))
            await running.until(lambda: bool(future._callbacks))
            peer.sock.close()
            await running.until(future.cancelled)
            await running.until(lambda: running.server.connection_count == 0)

    run(scenario())


@pytest.mark.parametrize("goes_first", [True, False])
def test_future_that_a_coroutine_ends_with_is_cancelled_when_the_client_goes(goes_first: bool):
    async def scenario():
        future = asyncio.get_running_loop().create_future()
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def handle(_context, _request):
            begun.set()
            await go_on.wait()
            return future

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle})) as running:
            peer = running.connect()
            await peer.send(peer.request(heartbeat(1), 1))
            await begun.wait()
            if not goes_first:
                go_on.set()
                await running.until(lambda: bool(future._callbacks))
            peer.sock.close()
            await running.until(lambda: running.server.connection_count == 0)
            go_on.set()
            await running.until(future.cancelled)
            await running.server.dispatcher.drain_tasks()

    run(scenario())


def test_response_that_comes_after_its_client_went_gives_back_its_files(sendable_file):
    async def scenario():
        from ottla.protocol.messages.fetch import (
            FetchableTopicResponse,
            FetchRequest,
            FetchResponse,
            PartitionData,
        )

        sendable = sendable_file(b"records")
        answer = FetchResponse(
            responses=[FetchableTopicResponse(topic="t", partitions=[PartitionData(records=sendable)])]
        )
        waiting = asyncio.Event()
        go_on = asyncio.Event()

        async def fetch(_context, _request):
            waiting.set()
            await go_on.wait()
            return answer

        async with running_server(handler_table({ApiKey.FETCH: fetch})) as running:
            peer = running.connect()
            await peer.send(peer.request(FetchRequest(), 4))
            await waiting.wait()
            peer.sock.close()
            await running.until(lambda: running.server.connection_count == 0)
            go_on.set()
            await running.until(lambda: sendable.close_count == 1)

    run(scenario())


def test_fetch_response_carries_a_file_between_its_bytes(sendable_file):
    async def scenario():
        from ottla.protocol.messages.fetch import (
            FetchableTopicResponse,
            FetchRequest,
            FetchResponse,
            PartitionData,
        )

        data = bytes(range(256)) * 10_000
        sendables = []

        def fetch(_context, _request):
            sendables.append(sendable_file(data))
            return FetchResponse(
                responses=[FetchableTopicResponse(topic="t", partitions=[PartitionData(records=sendables[-1])])]
            )

        async with running_server(handler_table({ApiKey.FETCH: fetch})) as running:
            peer = running.connect()
            await peer.send(b"".join(peer.request(FetchRequest(), version) for version in (4, 12, 12)))
            for n in range(3):
                correlation_id, response = await peer.response()
                assert correlation_id == n
                assert bytes(response.responses[0].partitions[0].records) == data
            assert [sendable.close_count for sendable in sendables] == [1, 1, 1]

    run(scenario())


def test_throttled_connection_is_answered_at_once_and_read_later():
    async def scenario():
        handled: list[float] = []
        loop = asyncio.get_running_loop()

        def handle(context, _request):
            handled.append(loop.time())
            context.throttle_time_ms = 100
            return HeartbeatResponse(throttle_time_ms=100)

        async with running_server(handler_table({ApiKey.HEARTBEAT: handle})) as running:
            peer = running.connect()
            await peer.send(peer.request(heartbeat(0), 1) + peer.request(heartbeat(1), 1))
            await peer.response()
            assert len(handled) == 1
            await peer.response()
            assert handled[1] - handled[0] >= 0.1

    run(scenario())


@pytest.mark.parametrize("version", [9, 12, 13])
def test_librdkafka_may_ask_for_all_topics_with_its_three_bytes_too_many(version: int):
    async def scenario():
        asked = []

        def metadata(_context, request):
            asked.append(request.topics)
            return MetadataResponse()

        async with running_server(handler_table({ApiKey.METADATA: metadata})) as running:
            peer = running.connect()
            frame = peer.request(MetadataRequest(topics=None), version)
            await peer.send(framed(frame[4:] + b"\x01\x00\x00"))
            await peer.response()
            assert asked == [None]
            frame = peer.request(MetadataRequest(topics=[]), version)
            await peer.send(framed(frame[4:] + b"\x01\x00\x00"))
            assert await peer.at_end()

    run(scenario())


def test_requests_and_their_times_are_counted_by_api_and_version():
    async def scenario():
        async with running_server(handler_table({ApiKey.HEARTBEAT: echo_generation})) as running:
            peer = running.connect()
            for version in (0, 3, 3) + (4,) * 97:
                await peer.ask(heartbeat(1), version)
            text = b"".join(running.metrics.render()).decode()
            assert 'kafka_network_requestmetrics_requests_total{request="Heartbeat",version="3"} 2' in text
            assert 'kafka_network_requestmetrics_totaltimems_count{request="Heartbeat"} 100' in text
            assert 'kafka_network_requestmetrics_remotetimems_count{request="Heartbeat"} 100' in text

    run(scenario())


def test_fetches_of_followers_and_consumers_are_counted_apart():
    async def scenario():
        from ottla.protocol.messages.fetch import FetchRequest, FetchResponse, ReplicaState

        async with running_server(handler_table({ApiKey.FETCH: lambda c, r: FetchResponse()})) as running:
            peer = running.connect()
            await peer.ask(FetchRequest(replica_id=-1), 11)
            await peer.ask(FetchRequest(replica_id=3), 11)
            await peer.ask(FetchRequest(replica_state=ReplicaState(replica_id=3)), 15)
            text = b"".join(running.metrics.render()).decode()
            assert 'requests_total{request="FetchConsumer",version="11"} 1' in text
            assert 'requests_total{request="FetchFollower",version="11"} 1' in text
            assert 'requests_total{request="FetchFollower",version="15"} 1' in text

    run(scenario())


def brokers_table():
    table = handler_table({ApiKey.HEARTBEAT: echo_generation})
    table.add(
        ApiKey.ALTER_PARTITION,
        lambda c, r: AlterPartitionResponse(),
        0,
        3,
        lambda request, version, error: AlterPartitionResponse(error_code=error.code),
        Traits(only_from_brokers=always),
    )
    table.add(
        ApiKey.FETCH,
        lambda c, r: FetchResponse(),
        0,
        18,
        lambda request, version, error: FetchResponse(error_code=error.code),
        Traits(only_from_brokers=is_from_follower),
    )
    return table


OF_A_BROKER = [
    (AlterPartitionRequest(broker_id=1), 3),
    (FetchRequest(replica_id=1), 12),
    (FetchRequest(replica_state=ReplicaState(replica_id=1)), 18),
]
OF_A_CLIENT = [(FetchRequest(), 12), (FetchRequest(), 18)]


def test_what_only_brokers_ask_is_refused_on_a_listener_for_clients_alone():
    client = ListenerSpec(name="CLIENT", host="127.0.0.1", port=0, serves_brokers=False)
    internal = ListenerSpec(name="INTERNAL", host="127.0.0.1", port=0, is_control=True)

    async def scenario():
        async with running_server(brokers_table(), specs=(client, internal)) as running:
            stranger, broker = running.connect("CLIENT"), running.connect("INTERNAL")
            for request, version in OF_A_BROKER:
                refused = await stranger.ask(request, version)
                assert refused.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED
                assert (await broker.ask(request, version)).error_code == ErrorCode.NONE
            for request, version in OF_A_CLIENT:
                assert (await stranger.ask(request, version)).error_code == ErrorCode.NONE

    run(scenario())


def test_listener_that_brokers_and_clients_share_serves_both():
    async def scenario():
        async with running_server(brokers_table()) as running:
            peer = running.connect()
            for request, version in OF_A_BROKER + OF_A_CLIENT:
                assert (await peer.ask(request, version)).error_code == ErrorCode.NONE

    run(scenario())


def connected_software(running) -> set[str]:
    return {channel.client.software[0] for channel in running.server.channels}


def test_software_name_that_was_refused_is_not_remembered():
    async def scenario():
        async with running_server() as running:
            peer = running.connect()
            request = ApiVersionsRequest(client_software_name="no such name!", client_software_version="1")
            assert (await peer.ask(request, 3)).error_code == ErrorCode.INVALID_REQUEST
            assert connected_software(running) == {"unknown"}
            await peer.ask(ApiVersionsRequest(**SOFTWARE), 3)
            assert connected_software(running) == {"test"}

    run(scenario())


def test_client_that_asks_for_what_is_not_served_is_told_of_in_the_log_once(caplog: pytest.LogCaptureFixture):
    async def scenario():
        async with running_server() as running:
            for client_id in ("flink", "flink", "nifi"):
                peer = running.connect()
                await peer.send(peer.request(heartbeat(1), 4, client_id))
                assert await peer.at_end()
            assert running.bad_frames() == 3

    run(scenario())
    told = [record.getMessage() for record in caplog.records if "not served" in record.getMessage()]
    assert [line.split(" at ")[0] for line in told] == ["client 'flink'", "client 'nifi'"]
    assert all(line.endswith("asks for Heartbeat in version 4: it is not served here") for line in told)
