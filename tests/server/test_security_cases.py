"""The framing and parser cases of the security programme (1 to 14): a peer that lies, stalls or floods.

Where the expected end is "drop": the connection is closed without an answer, it is counted, one line is logged however
often it happens, nothing large was allocated on the way, and other clients notice nothing.
"""

import asyncio
import socket
import struct
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ottla.clock import ManualClock
from ottla.errors import ErrorCode
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode
from ottla.protocol.headers import RequestHeader, encode_request_header
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.metadata import MetadataResponse
from ottla.server import ListenerSpec, ServerLimits
from support.connections import framed
from support.servers import LOOPBACK, KafkaPeer, RunningServer, handler_table, running_server

ALLOCATED_BYTES_MAX = 1_000_000
HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
HANDLERS = {
    ApiKey.HEARTBEAT: lambda context, request: HeartbeatResponse(),
    ApiKey.METADATA: lambda context, request: MetadataResponse(),
}


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 100))


@asynccontextmanager
async def server_with_bystander(
    limits: ServerLimits | None = None, **options
) -> AsyncIterator[tuple[RunningServer, KafkaPeer]]:
    """A server, and a client that must not notice what others do to it."""
    async with running_server(handler_table(HANDLERS), limits, **options) as running:
        bystander = running.connect()
        await bystander.ask(HEARTBEAT, 1)
        yield running, bystander
        await bystander.ask(HEARTBEAT, 1)


def assert_dropped(data: bytes, caplog: pytest.LogCaptureFixture, hint: str = "") -> None:
    """Bytes of a stranger end its connection and nothing else, three times in a row."""

    async def scenario():
        async with server_with_bystander() as (running, bystander):
            for times in range(1, 4):
                peer = running.connect()
                tracemalloc.start()
                await peer.send(data)
                assert await peer.at_end()
                assert tracemalloc.get_traced_memory()[1] < ALLOCATED_BYTES_MAX
                tracemalloc.stop()
                assert running.bad_frames() == times
                assert running.metrics.counter("ottla_log_messages_suppressed_total").value == times - 1
                await bystander.ask(HEARTBEAT, 1)
            assert running.server.connection_count == 1

    run(scenario())
    lines = [record for record in caplog.records if record.name.startswith("ottla")]
    assert len(lines) == 1
    assert "127.0.0.1" in lines[0].getMessage()
    assert hint in lines[0].getMessage()
    assert "Traceback" not in caplog.text


def request(api_key: int, version: int, body: bytes, client_id: str | None = "test") -> bytes:
    return framed(encode_request_header(RequestHeader(api_key, version, 1, client_id)) + body)


@pytest.mark.parametrize("size", [-1, -(2**31)])
def test_case_1_negative_length_is_dropped(size: int, caplog):
    assert_dropped(struct.pack(">i", size), caplog, "negative")


def test_case_2_largest_length_without_a_body_is_dropped_before_any_allocation(caplog):
    assert_dropped(struct.pack(">i", 2**31 - 1), caplog, "over the limit")


def test_case_3_length_just_over_the_maximum_is_dropped(caplog):
    assert_dropped(struct.pack(">i", 104857600 + 1), caplog, "over the limit of 104857600")


def test_case_4_length_zero_is_dropped(caplog):
    assert_dropped(struct.pack(">i", 0), caplog, "too small")


@pytest.mark.parametrize("started_with", [0, 40], ids=["in the prefix", "in the body"])
def test_case_5_slow_loris_is_dropped_at_the_receive_deadline(started_with: int):
    async def scenario():
        clock = ManualClock()
        limits = ServerLimits(frame_receive_timeout_ms=30_000)
        async with server_with_bystander(limits, clock=clock) as (running, bystander):
            peer = running.connect()
            frame = request(ApiKey.METADATA, 1, bytes(1000))
            await peer.send(frame[:started_with])
            await bystander.ask(HEARTBEAT, 1)
            for n in range(started_with, started_with + 4):
                await peer.send(frame[n : n + 1])
                received = [channel.connection for channel in running.server.channels]
                await running.until(lambda n=n, received=received: n + 1 in {c.bytes_received for c in received})
                clock.advance_ms(10_000)
                running.wheel.advance()
                await bystander.ask(HEARTBEAT, 1)
            assert await peer.at_end()
            assert running.bad_frames() == 1

    run(scenario())


def test_case_6_half_open_connections_of_one_address_stop_at_its_cap():
    async def scenario():
        internal = ListenerSpec(name="INTERNAL", host="127.0.0.1", port=0, is_control=True)
        limits = ServerLimits(max_connections_per_ip=50, socket_listen_backlog_size=1024)
        async with server_with_bystander(limits, specs=(LOOPBACK, internal)) as (running, _):
            attackers = []
            for _ in range(1000):
                peer = running.connect(source="127.0.0.66")
                attackers.append(peer)
                await asyncio.sleep(0)
            refused = running.metrics.counter("ottla_connections_refused_total", {"reason": "per ip"})
            await running.until(lambda: refused.value == 950)
            assert running.server.connection_count == 51
            await running.connect("INTERNAL").ask(HEARTBEAT, 1)
            await running.connect("INTERNAL", source="127.0.0.66").ask(HEARTBEAT, 1)

    run(scenario())


@pytest.mark.parametrize(
    ("api_key", "version"), [(999, 0), (-1, 0), (32767, 32767), (12, 5), (12, -1), (0, 3), (58, 0), (4, 0)]
)
def test_case_7_unknown_api_or_version_is_dropped_without_a_traceback(api_key: int, version: int, caplog):
    frame = framed(struct.pack(">hhih", api_key, version, 1, -1) + bytes(20))
    assert_dropped(frame, caplog, f"in version {version}: it is not served here")


def test_case_7_unknown_version_of_api_versions_is_answered():
    async def scenario():
        async with server_with_bystander() as (running, _):
            peer = running.connect()
            for version in (5, 32767, -1):
                await peer.send(framed(struct.pack(">hhi", 18, version, 5) + b"\xff" * 30))
                assert (await peer.receive_frame())[:6] == struct.pack(">ih", 5, ErrorCode.UNSUPPORTED_VERSION)

    run(scenario())


@pytest.mark.parametrize("count", [2**31 - 1, 1_000_000, -2])
def test_case_8_array_longer_than_the_bytes_that_are_left_is_dropped(count: int, caplog):
    assert_dropped(request(ApiKey.METADATA, 1, struct.pack(">i", count)), caplog)


def test_case_9_large_count_of_tagged_fields_is_dropped(caplog):
    count_2_28 = b"\x80\x80\x80\x80\x01"
    body = encode(HEARTBEAT, 4)[:-1] + count_2_28
    assert_dropped(request(ApiKey.HEARTBEAT, 4, body), caplog)


def test_case_9_large_count_of_tagged_fields_in_the_header_is_dropped(caplog):
    header = struct.pack(">hhih", ApiKey.HEARTBEAT, 4, 1, 0) + b"\x80\x80\x80\x80\x01"
    assert_dropped(framed(header + bytes(100)), caplog)


@pytest.mark.parametrize(
    "length",
    [b"\xff\xff\xff\xff\xff\x01", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\xff\xff\xff\xff\x0f", b"\x00"],
    ids=["six bytes", "eleven bytes", "more than there is", "null where none may be"],
)
def test_case_10_bad_varint_or_compact_length_is_dropped(length: bytes, caplog):
    assert_dropped(request(ApiKey.HEARTBEAT, 4, length + bytes(50)), caplog)


def test_case_11_client_id_that_is_no_utf_8_is_dropped_and_the_log_line_is_clean(caplog):
    header = struct.pack(">hhih", ApiKey.HEARTBEAT, 1, 1, 4) + b"\xff\xfe\n\x1b"
    assert_dropped(framed(header + encode(HEARTBEAT, 1)), caplog)
    assert all(record.getMessage().isprintable() for record in caplog.records)


@pytest.mark.parametrize("client_id", ["", "\x00", "a\nb\x1b[31m", "x" * 32767, "é\u2028"])
def test_case_11_strange_client_ids_are_served(client_id: str):
    async def scenario():
        async with server_with_bystander() as (running, _):
            peer = running.connect()
            await peer.ask(HEARTBEAT, 1, client_id)
            await peer.ask(HEARTBEAT, 4, client_id)

    run(scenario())


@pytest.mark.parametrize("version", [1, 4])
def test_case_12_bytes_behind_a_valid_body_are_dropped(version: int, caplog):
    assert_dropped(request(ApiKey.HEARTBEAT, version, encode(HEARTBEAT, version) + b"\x00"), caplog, "1 bytes behind")


CLIENT_HELLO = bytes.fromhex("16030102000100") + bytes(505)


@pytest.mark.parametrize(
    ("first_bytes", "hint"),
    [(CLIENT_HELLO, "TLS"), (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP")],
    ids=["TLS", "HTTP"],
)
def test_case_13_other_protocols_on_the_plaintext_port_are_dropped_at_once(first_bytes: bytes, hint: str, caplog):
    assert_dropped(first_bytes, caplog, hint)


def test_case_14_pipelining_without_reading_is_stopped_by_backpressure():
    count = 30_000

    async def scenario():
        limits = ServerLimits(socket_send_buffer_bytes=16_384, socket_receive_buffer_bytes=16_384)
        async with server_with_bystander(limits) as (running, bystander):
            peer = running.connect(receive_buffer_bytes=4096)
            peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            await peer.ask(HEARTBEAT, 3)
            frames = b"".join(peer.request(HEARTBEAT, 3) for _ in range(count))
            sending = asyncio.create_task(peer.send(frames))
            (connection,) = [c.connection for c in running.server.channels if c.client.port == _port(peer)]
            await running.until(lambda: connection.send_progress_at is not None)
            for _ in range(50):
                await bystander.ask(HEARTBEAT, 3)
            assert not sending.done()
            assert connection.unsent_bytes < 200_000
            assert connection.bytes_received < len(frames)
            for n in range(count):
                assert struct.unpack_from(">i", await peer.receive_frame())[0] == n + 1
            await sending

    run(scenario())


def _port(peer: KafkaPeer) -> int:
    port: int = peer.sock.getsockname()[1]
    return port
