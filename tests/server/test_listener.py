import asyncio
import resource
import socket
import sys

import pytest

from ottla.errors import ConfigError
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.server import ListenerSpec, ServerLimits
from ottla.server.listener import CONGESTION_CONTROL_WITHOUT_PACING
from support.descriptors import no_descriptors_left
from support.servers import LOOPBACK, KafkaPeer, running_server


def run(scenario) -> None:
    asyncio.run(asyncio.wait_for(scenario, 60))


ACCEPTOR_BLOCKED = "kafka_network_acceptor_acceptorblocked_percent"


async def answers(peer: KafkaPeer) -> bool:
    return (await peer.ask(ApiVersionsRequest(), 0)).error_code == 0


def test_accepting_pauses_at_max_connections_and_goes_on_when_one_leaves():
    async def scenario():
        async with running_server(limits=ServerLimits(max_connections=3)) as running:
            peers = [running.connect() for _ in range(5)]
            await running.until(lambda: running.server.connection_count == 3)
            listener = running.server.listeners[0]
            await running.until(lambda: not listener.is_accepting)
            blocked = running.metrics.gauge(ACCEPTOR_BLOCKED, {"listener": "PLAINTEXT"})
            await running.until(lambda: blocked.read() > 0)
            assert all([await answers(peer) for peer in peers[:3]])
            peers[0].sock.close()
            assert await answers(peers[3])
            peers[1].sock.close()
            assert await answers(peers[4])
            peers[2].sock.close()
            await running.until(lambda: listener.is_accepting)
            assert listener.paused_s == listener.paused_s > 0

    run(scenario())


def test_connections_leave_the_reserved_descriptors_alone():
    async def scenario():
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        async with running_server(limits=ServerLimits(descriptors_reserved=descriptors - 2)) as running:
            peers = [running.connect() for _ in range(3)]
            await running.until(lambda: not running.server.listeners[0].is_accepting)
            assert running.server.connection_count == 2
            assert running.server.connection_limits.count_max == 2
            peers[0].sock.close()
            assert await answers(peers[2])

    run(scenario())


def test_listener_for_brokers_accepts_when_clients_have_taken_all_connections():
    async def scenario():
        internal = ListenerSpec(name="INTERNAL", host="127.0.0.1", port=0, is_control=True)
        async with running_server(limits=ServerLimits(max_connections=1), specs=(LOOPBACK, internal)) as running:
            running.connect()
            running.connect()
            await running.until(lambda: not running.server.listeners[0].is_accepting)
            assert await answers(running.connect("INTERNAL"))
            assert running.server.connection_count == 2

    run(scenario())


def test_accepting_pauses_when_descriptors_run_out_and_recovers(caplog):
    async def scenario():
        async with running_server() as running:
            early = running.connect()
            assert await answers(early)
            late = socket.socket()
            with no_descriptors_left():
                late.connect(("127.0.0.1", running.ports["PLAINTEXT"]))
                await running.until(lambda: running.server.listeners[0].pause_count > 2)
                assert await answers(early)
                assert running.server.connection_count == 1
            late.setblocking(False)
            assert await answers(KafkaPeer(late))
            late.close()

    run(scenario())
    assert caplog.text.count("Too many open files") == 1


def test_address_over_its_limit_is_closed_at_once_and_others_are_not():
    async def scenario():
        limits = ServerLimits(max_connections_per_ip=2, max_connections_per_ip_overrides={"127.0.0.3": 1})
        async with running_server(limits=limits) as running:
            mine = [running.connect() for _ in range(3)]
            assert await mine[2].at_end()
            assert await answers(mine[0])
            assert await answers(running.connect(source="127.0.0.2"))
            assert await answers(running.connect(source="127.0.0.3"))
            assert await running.connect(source="127.0.0.3").at_end()
            mine[0].sock.close()
            await running.until(lambda: running.server.connection_count == 3)
            assert await answers(running.connect())
            refused = running.metrics.counter("ottla_connections_refused_total", {"reason": "per ip"})
            assert refused.value == 2

    run(scenario())


def test_limit_that_is_raised_at_run_time_lets_those_in_who_wait():
    async def scenario():
        async with running_server(limits=ServerLimits(max_connections=1)) as running:
            peers = [running.connect() for _ in range(2)]
            await running.until(lambda: not running.server.listeners[0].is_accepting)
            running.server.apply_limits(ServerLimits(max_connections=2))
            assert all([await answers(peer) for peer in peers])

    run(scenario())


def test_port_that_is_taken_is_an_error_that_names_the_listener():
    async def scenario():
        with socket.create_server(("127.0.0.1", 0)) as taken:
            spec = ListenerSpec(name="EXTERNAL", host="127.0.0.1", port=taken.getsockname()[1])
            with pytest.raises(ConfigError, match=r"EXTERNAL://127\.0\.0\.1:\d+: Address already in use"):
                async with running_server(specs=(LOOPBACK, spec)):
                    pass

    run(scenario())


def test_empty_host_listens_on_every_interface():
    async def scenario():
        async with running_server(specs=(ListenerSpec(name="PLAINTEXT", host="", port=0),)) as running:
            assert await answers(running.connect())
            assert await answers(running.connect(source="127.0.0.9"))

    run(scenario())


def test_host_name_is_resolved():
    async def scenario():
        async with running_server(specs=(ListenerSpec(name="PLAINTEXT", host="localhost", port=0),)) as running:
            assert running.ports["PLAINTEXT"] > 0

    run(scenario())


def test_nobody_is_accepted_after_accepting_was_stopped():
    async def scenario():
        async with running_server() as running:
            peer = running.connect()
            assert await answers(peer)
            running.server.stop_accepting()
            with pytest.raises(ConnectionRefusedError):
                running.connect()
            assert await answers(peer)

    run(scenario())


def accepted_option(level: int, option: int, size: int, monkeypatch, *, source="127.0.0.1", limits=None) -> bytes:
    """What an option of a connection from `source` is once it has been accepted."""
    found = []

    async def scenario():
        async with running_server(limits=limits or ServerLimits()) as running:
            listener = running.server.listeners[0]
            taken = listener._on_connection

            def note(spec, sock, address):
                found.append(sock.getsockopt(level, option, size))
                taken(spec, sock, address)

            monkeypatch.setattr(listener, "_on_connection", note)
            assert await answers(running.connect(source=source))

    run(scenario())
    return found[0]


@pytest.mark.skipif(not hasattr(socket, "TCP_CONGESTION"), reason="Linux has this")
@pytest.mark.parametrize(("source", "is_here"), [("127.0.0.1", True), ("127.0.0.2", False)])
def test_a_client_on_this_host_is_sent_its_bytes_without_pacing(source, is_here, monkeypatch):
    """The second address is that of another host, as far as addresses tell."""
    with socket.socket() as plain:
        system = plain.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
    found = accepted_option(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16, monkeypatch, source=source)
    assert found.rstrip(b"\0") == (CONGESTION_CONTROL_WITHOUT_PACING if is_here else system.rstrip(b"\0"))


def test_a_send_buffer_is_of_the_size_that_was_chosen(monkeypatch):
    limits = ServerLimits(socket_send_buffer_bytes=50_000)
    found = accepted_option(socket.SOL_SOCKET, socket.SO_SNDBUF, 4, monkeypatch, limits=limits)
    assert int.from_bytes(found, sys.byteorder) == 2 * 50_000  # Linux counts its own bookkeeping too
