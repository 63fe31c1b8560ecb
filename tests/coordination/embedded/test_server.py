"""The server at its edges: bounds, broken disks, strangers, restarts."""

import asyncio
import errno
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.coordination.acl import digest_id
from ottla.coordination.embedded.connection import ClientConnection
from ottla.coordination.embedded.jute import encode_buffer, encode_int, encode_string
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.embedded.server import EmbeddedZooKeeper
from ottla.errors import ConfigError, OperatorError
from support.descriptors import no_descriptors_left
from support.disks import FaultyDisk, os_error
from support.eventually import eventually
from support.raw_zookeeper import RawClient, create_body
from support.server_thread import ServerThread
from support.zookeepers import four_letter_word

SYSTEM_FAILURE, NO_AUTH, AUTH_FAILED, QUOTA_EXCEEDED = -1, -102, -115, -125


def send_auth(client: RawClient, credential: bytes) -> int:
    client.send(OpCode.AUTH, encode_int(0) + encode_string("digest") + encode_buffer(credential), xid=-4)
    return client.receive().error


def test_a_restart_keeps_nodes_sessions_and_ephemerals(tmp_path: Path) -> None:
    with ServerThread(tmp_path) as server:
        client = RawClient(server.port)
        client.create("/a", b"data")
        client.create("/e", flags=1)
        client.close()
    with ServerThread(tmp_path) as server:
        again = RawClient(server.port, session=(client.session_id, client.password))
        assert again.session_id == client.session_id
        assert again.get("/a").body.buffer() == b"data"
        assert again.get("/e").error == 0
        again.call(OpCode.CLOSE_SESSION)
        again.close()
    with ServerThread(tmp_path) as server:
        last = RawClient(server.port)
        assert last.get("/e").error == -101
        assert last.session_id > client.session_id
        last.close()


def test_snapshots_are_taken_under_load_and_a_restart_reads_them(tmp_path: Path) -> None:
    with ServerThread(tmp_path, snap_count=50, force_sync=False) as server:
        client = RawClient(server.port)
        for number in range(400):
            client.create(f"/n{number}", b"x" * 100)
        client.close()
    files = [path.name for path in (tmp_path / "ottla-1").iterdir()]
    assert 1 <= sum(name.startswith("snapshot.") for name in files) <= 3
    with ServerThread(tmp_path) as server:
        assert len(server.database.tree.nodes) == 404
        assert server.database.last_zxid == 401


def test_a_taken_port_is_an_error_or_the_next_one_is_searched(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OperatorError, match="cannot listen"), ServerThread(tmp_path, client_port=port):
            pass
        with ServerThread(tmp_path, client_port=port, options={"port_search": True}) as server:
            assert port < server.port <= port + 100


def test_others_than_loopback_need_a_credential(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="requireClientAuth"), ServerThread(tmp_path, client_port_address="0.0.0.0"):
        pass
    with ServerThread(tmp_path, client_port_address="0.0.0.0", require_client_auth="bob:secret") as server:
        RawClient(server.port).close()


def test_with_a_required_credential_strangers_get_nothing_and_leave_nothing_in_the_log(tmp_path: Path) -> None:
    with ServerThread(tmp_path, require_client_auth="bob:secret") as server:
        stranger = RawClient(server.port)
        assert stranger.get("/").error == AUTH_FAILED
        with pytest.raises(ConnectionError):
            stranger.receive()
        stranger.close()
        liar = RawClient(server.port)
        assert send_auth(liar, b"bob:guess") == AUTH_FAILED
        liar.close()
        assert server.database.last_zxid == 0
        friend = RawClient(server.port)
        assert send_auth(friend, b"bob:secret") == 0
        assert friend.create("/a").error == 0
        assert friend.session_id in server.database.sessions
        friend.close()


def test_the_super_user_may_do_everything(tmp_path: Path) -> None:
    with ServerThread(tmp_path, super_digest=digest_id("super:test").id) as server:
        client = RawClient(server.port)
        assert client.set("/zookeeper/config", b"x").error == NO_AUTH
        assert send_auth(client, b"super:test") == 0
        assert client.set("/zookeeper/config", b"x").error == 0
        client.close()


def test_an_unknown_scheme_fails_and_closes(tmp_path: Path) -> None:
    with ServerThread(tmp_path) as server:
        client = RawClient(server.port)
        client.send(OpCode.AUTH, encode_int(0) + encode_string("kerberos") + encode_buffer(b"x"), xid=-4)
        assert client.receive().error == AUTH_FAILED
        with pytest.raises(ConnectionError):
            client.receive()
        client.close()


def test_connections_of_one_address_are_bounded(tmp_path: Path) -> None:
    with ServerThread(tmp_path, max_client_connections=2) as server:
        clients = [RawClient(server.port) for _ in range(2)]
        with pytest.raises(ConnectionError):
            RawClient(server.port)
        clients[0].call(OpCode.CLOSE_SESSION)
        with pytest.raises(ConnectionError):
            clients[0].receive()
        clients[0].close()
        clients[0] = RawClient(server.port)
        for client in clients:
            client.close()


def test_the_tree_is_bounded(tmp_path: Path) -> None:
    with ServerThread(tmp_path, nodes_max=5) as server:
        client = RawClient(server.port)
        assert client.create("/a").error == 0
        assert client.create("/b").error == QUOTA_EXCEEDED
        client.close()


def test_a_request_over_the_bound_closes_that_connection_only(tmp_path: Path) -> None:
    with ServerThread(tmp_path, request_bytes_max=1000) as server:
        other, client = RawClient(server.port), RawClient(server.port)
        client.send(OpCode.CREATE, create_body("/a", bytes(2000)))
        with pytest.raises(ConnectionError):
            client.receive()
        assert other.create("/a").error == 0
        client.close()
        other.close()


def test_many_pipelined_requests_are_answered_in_order_within_the_outstanding_bound(tmp_path: Path) -> None:
    with ServerThread(tmp_path, outstanding_max=10) as server:
        client = RawClient(server.port)
        body = encode_string("/zookeeper") + encode_buffer(b"x") + encode_int(-1)
        sender = threading.Thread(target=lambda: [client.send(OpCode.SET_DATA, body) for _ in range(1000)])
        sender.start()
        assert [client.receive().xid for _ in range(1000)] == list(range(1, 1001))
        sender.join()
        client.close()


def test_a_client_that_does_not_read_its_events_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ottla.coordination.embedded.connection.OUTPUT_BYTES_MAX", 1000)
    thread = ServerThread(tmp_path, force_sync=False)
    with thread as server:
        deaf, writer = RawClient(server.port), RawClient(server.port)
        deaf.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1000)
        deaf.call(OpCode.ADD_WATCH, encode_string("/") + encode_int(1))
        writer.create("/a")
        for _ in range(200_000):
            writer.set("/a", b"x")
            if len(server.connections) == 1:
                break
        assert thread.call(lambda: len(server.connections)) == 1
        deaf.close()
        writer.close()


def test_responses_are_sent_without_waiting_for_the_acknowledgement_of_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = []
    made = ClientConnection.connection_made

    def connection_made(connection: ClientConnection, transport: asyncio.BaseTransport) -> None:
        options.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(connection, transport)

    monkeypatch.setattr(ClientConnection, "connection_made", connection_made)
    with ServerThread(tmp_path, force_sync=False) as server:
        RawClient(server.port).close()
    assert options == [1]


def test_four_letter_words_need_the_whitelist(tmp_path: Path) -> None:
    with ServerThread(tmp_path) as server:
        assert four_letter_word(server.port, "ruok") == "ruok is not executed because it is not in the whitelist.\n"
        assert "Mode: standalone" in (four_letter_word(server.port, "srvr") or "")
    with ServerThread(tmp_path, four_letter_words=frozenset("*")) as server:
        client = RawClient(server.port)
        assert four_letter_word(server.port, "ruok") == "imok"
        assert four_letter_word(server.port, "isro") == "rw"
        assert f"clientPort={server.port}" in (four_letter_word(server.port, "conf") or "")
        assert "zk_znode_count\t4\n" in (four_letter_word(server.port, "mntr") or "")
        assert "/127.0.0.1:" in (four_letter_word(server.port, "stat") or "")
        assert "zookeeper.version=3.9" in (four_letter_word(server.port, "envi") or "")
        client.close()


def test_a_failed_sync_ends_the_server_and_answers_nothing(tmp_path: Path) -> None:
    disk = FaultyDisk()
    with ServerThread(tmp_path, options={"disk": disk}) as server:
        client, reader = RawClient(server.port), RawClient(server.port)
        disk.faults["sync"] = os_error(errno.EIO)
        client.send(OpCode.CREATE, create_body("/a"))
        reader.send(OpCode.EXISTS, encode_string("/a") + b"\0")
        for waiting in (client, reader):
            with pytest.raises(ConnectionError):
                assert waiting.receive().error == -101  # the read may have come before the write
                waiting.receive()
            waiting.close()
        assert server.failed.done()
        with pytest.raises(OSError):
            RawClient(server.port)
        assert disk.calls.count("sync") == 3  # two sessions, and the one that failed: it is not tried again


def test_a_full_disk_refuses_writes_keeps_reads_and_recovers_by_itself(tmp_path: Path) -> None:
    disk = FaultyDisk()
    with ServerThread(tmp_path, options={"disk": disk}) as server:
        client, reader = RawClient(server.port), RawClient(server.port)
        client.create("/before")
        disk.room = 20
        for _ in range(3):  # each is answered, by the same connection
            assert client.create("/refused").error == SYSTEM_FAILURE
        assert reader.get("/before").error == 0
        assert reader.get("/refused").error == -101
        disk.room = None
        assert client.create("/after").error == 0
        client.close()
        reader.close()
    with ServerThread(tmp_path) as server:
        assert {"/before", "/after"} <= server.database.tree.nodes.keys()
        assert "/refused" not in server.database.tree.nodes


def test_an_expired_session_is_tried_again_while_the_disk_is_full(tmp_path: Path) -> None:
    disk = FaultyDisk()
    thread = ServerThread(tmp_path, options={"disk": disk})
    with thread as server:
        client = RawClient(server.port, timeout_ms=200)
        client.create("/e", flags=1)
        disk.room = 0
        while "pwrite" not in disk.calls[-2:]:  # the sweep has tried to write and failed
            thread.call(lambda: None)
        assert "/e" in server.database.tree.nodes
        disk.room = None
        while "/e" in server.database.tree.nodes:
            thread.call(lambda: None)
        client.close()


def test_containers_and_ttl_nodes_are_removed_in_time(tmp_path: Path) -> None:
    with ServerThread(tmp_path, container_check_interval_ms=20) as server:
        client = RawClient(server.port)
        client.call(OpCode.ADD_WATCH, encode_string("/") + encode_int(1))
        client.call(OpCode.CREATE_CONTAINER, create_body("/c", flags=4))
        client.create("/c/child")
        client.call(OpCode.CREATE_TTL, create_body("/t", flags=5, ttl_ms=1))
        client.delete("/c/child")
        gone: set[str] = set()
        while gone != {"/c", "/t"}:
            event = client.receive_event()
            if event.type == 2 and event.path != "/c/child":
                gone.add(event.path)
        client.close()


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedZooKeeper]:
    thread = ServerThread(tmp_path_factory.mktemp("fuzzed"), force_sync=False, max_client_connections=0)
    with thread as server:
        yield server


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_close_a_connection_and_nothing_else(fuzzed: EmbeddedZooKeeper, data: bytes) -> None:
    with socket.create_connection(("127.0.0.1", fuzzed.port), timeout=10) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(4096):
            pass


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(list(OpCode)) | st.integers(-20, 120), st.binary(max_size=80))
def test_random_requests_are_answered_or_close_the_connection(
    fuzzed: EmbeddedZooKeeper, kind: int, body: bytes
) -> None:
    client = RawClient(fuzzed.port)
    try:
        client.send(kind, body)
        assert client.receive().xid == 1
    except ConnectionError:
        pass
    client.close()
    witness = RawClient(fuzzed.port)
    assert witness.get("/").error == 0
    witness.close()


def test_clients_that_the_system_has_no_descriptor_for_wait_and_one_line_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ServerThread(tmp_path) as server:
        early = RawClient(server.port)
        late = [socket.socket() for _ in range(5)]
        with no_descriptors_left():
            for sock in late:
                sock.connect(("127.0.0.1", server.port))
            eventually(lambda: "accepts no connections for now" in caplog.text)
            early.create("/a")
        again = RawClient(server.port)
        assert again.get("/a").error == 0
        for client in (early, again, *late):
            client.close()
    assert caplog.text.count("Too many open files") == 1
    assert "Traceback" not in caplog.text
