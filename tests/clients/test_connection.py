"""One connection: versions, order, time limits, ends. The other side is our own server with handlers of the test."""

import asyncio
import socket
import struct

import pytest

from ottla.clients.addresses import Address
from ottla.clients.api_versions import VersionRange, negotiate
from ottla.clients.connection import BrokerConnection, ConnectionSettings
from ottla.clients.errors import ClientTimeoutError
from ottla.clients.runtime import runtime_of_running_loop
from ottla.errors.kafka import NetworkError, UnsupportedVersionError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import encode
from ottla.protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.metadata import MetadataRequest, MetadataResponse
from support.coroutines import on_event_loop
from support.ports import free_port
from support.servers import handler_table, running_server


async def connected(port: int, **settings: int) -> BrokerConnection:
    connection = BrokerConnection(Address("127.0.0.1", port), runtime_of_running_loop(), ConnectionSettings(**settings))
    await connection.connect()
    return connection


@on_event_loop
async def test_requests_are_answered_in_order_in_the_highest_common_version():
    seen = []

    def answer(context, request):
        seen.append(context.api_version)
        return HeartbeatResponse(error_code=request.generation_id)

    async with running_server(handler_table({ApiKey.HEARTBEAT: answer})) as server:
        connection = await connected(server.ports["PLAINTEXT"])
        asked = [connection.send(HeartbeatRequest(group_id="g", generation_id=number)) for number in range(20)]
        assert [response.error_code for response in await asyncio.gather(*asked)] == list(range(20))
        assert set(seen) == {api_info(ApiKey.HEARTBEAT).versions[1]}
        connection.close()


@on_event_loop
async def test_a_request_without_an_answer_ends_the_connection_and_all_behind_it():
    never: asyncio.Future = asyncio.get_running_loop().create_future()
    async with running_server(handler_table({ApiKey.HEARTBEAT: lambda *_: never})) as server:
        connection = await connected(server.ports["PLAINTEXT"])
        first = connection.send(HeartbeatRequest(group_id="g"), timeout_ms=50)
        second = connection.send(HeartbeatRequest(group_id="g"), timeout_ms=60_000)
        for future in (first, second):
            with pytest.raises(NetworkError, match="no answer to HEARTBEAT within 50 ms"):
                await future
        assert connection.closed
        with pytest.raises(NetworkError, match="closed"):
            await connection.send(HeartbeatRequest(group_id="g"))
        never.cancel()


@on_event_loop
async def test_more_requests_than_allowed_in_flight_are_refused():
    never: asyncio.Future = asyncio.get_running_loop().create_future()
    async with running_server(handler_table({ApiKey.HEARTBEAT: lambda *_: never})) as server:
        connection = await connected(server.ports["PLAINTEXT"], in_flight_max=2)
        waiting = [connection.send(HeartbeatRequest(group_id="g")) for _ in range(2)]
        assert not connection.has_room
        with pytest.raises(NetworkError, match="too many requests in flight"):
            await connection.send(HeartbeatRequest(group_id="g"))
        connection.close()
        assert all(isinstance(future.exception(), NetworkError) for future in waiting)
        never.cancel()


@on_event_loop
async def test_an_idle_connection_closes_itself():
    async with running_server() as server:
        connection = await connected(server.ports["PLAINTEXT"], idle_max_ms=30)
        await server.until(lambda: connection.closed)
        assert connection.close_reason == "idle"


@on_event_loop
async def test_nobody_listening_is_a_network_error():
    with pytest.raises(NetworkError):
        await connected(free_port())


@on_event_loop
async def test_a_listener_that_never_answers_is_a_timeout():
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(ClientTimeoutError):
        await connected(listener.getsockname()[1], connect_timeout_ms=50)


async def old_broker(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A broker that knows ApiVersions 0 alone: to anything newer it says so in version 0 (KIP-511)."""
    known = [ApiVersion(api_key=18, min_version=0, max_version=0), ApiVersion(api_key=3, min_version=0, max_version=1)]
    while size := await reader.read(4):
        request = await reader.readexactly(int.from_bytes(size))
        api_key, version, correlation_id = struct.unpack_from(">hhi", request)
        if api_key == ApiKey.METADATA:
            body = encode(MetadataResponse(controller_id=version), version)
        else:
            body = encode(ApiVersionsResponse(error_code=35 if version else 0, api_keys=known), 0)
        writer.write(struct.pack(">ii", 4 + len(body), correlation_id) + body)
    writer.close()


@on_event_loop
async def test_an_old_broker_is_asked_again_in_a_version_that_it_knows():
    server = await asyncio.start_server(old_broker, "127.0.0.1", 0)
    async with server:
        connection = await connected(server.sockets[0].getsockname()[1])
        assert connection.versions[ApiKey.METADATA] == VersionRange(0, 1)
        response = await connection.send(MetadataRequest(topics=[]))
        assert response.controller_id == 1
        with pytest.raises(UnsupportedVersionError, match="does not serve HEARTBEAT"):
            connection.send(HeartbeatRequest())
        connection.close()


@on_event_loop
async def test_an_answer_to_another_request_ends_the_connection():
    async def confused(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(struct.pack(">iih", 6, 77, 0))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(confused, "127.0.0.1", 0)
    async with server:
        with pytest.raises(NetworkError, match="answer 77 where 0 was expected"):
            await connected(server.sockets[0].getsockname()[1])


@pytest.mark.parametrize(
    ("broker", "version_max", "expected"), [((0, 99), None, 13), ((0, 5), None, 5), ((2, 99), 4, 4)]
)
def test_the_version_is_the_highest_that_both_know(broker, version_max, expected):
    assert negotiate({ApiKey.METADATA: VersionRange(*broker)}, ApiKey.METADATA, version_max) == expected


def test_ranges_that_do_not_meet_are_unsupported():
    with pytest.raises(UnsupportedVersionError, match="the broker speaks versions 90 to 99, here 0 to 13"):
        negotiate({ApiKey.METADATA: VersionRange(90, 99)}, ApiKey.METADATA)
