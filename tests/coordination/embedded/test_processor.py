"""Frames in, answers out, without sockets: what is queued for whom, in which order, and what it waits for."""

import struct

import pytest

from ottla.clock import ManualClock
from ottla.coordination.acl import ALL, OPEN_ACL, READ, Acl, Id, digest_id
from ottla.coordination.embedded.database import Database
from ottla.coordination.embedded.jute import Reader, encode_acl, encode_buffer, encode_int, encode_string
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.embedded.processor import RequestProcessor
from ottla.coordination.embedded.server_config import ServerConfig
from ottla.coordination.embedded.txn_codec import LoggedTxn
from ottla.errors import DecodeError, LogDirError


class FakeClient:
    """A client that keeps what it is sent, with the zxid that it waits for."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.session_id = 0
        self.identities: tuple[Id, ...] = (Id("ip", host),)
        self.is_authenticated = True
        self.sent: list[tuple[int, int]] = []
        self.payloads: list[bytes] = []
        self.closed: str | None = None

    def send(self, payload: bytes, zxid: int) -> None:
        self.payloads.append(payload)
        self.sent.append((Reader(payload).integer(), zxid))

    def close_after_sending(self) -> None:
        self.closed = "after sending"

    def close(self, reason: str) -> None:
        self.closed = reason


class Setup:
    def __init__(self) -> None:
        self.clock = ManualClock()
        self.log: list[LoggedTxn] = []
        self.processor = RequestProcessor(
            ServerConfig(data_dir="unused"), self.clock, Database(), self.log.append, lambda count: b"r" * count
        )

    def connect(
        self, client: FakeClient, timeout_ms: int = 10_000, session: tuple[int, bytes] = (0, bytes(16))
    ) -> None:
        request = struct.pack(">iqiq", 0, 0, timeout_ms, session[0]) + encode_buffer(session[1]) + b"\0"
        self.processor.handle_connect(client, request)
        client.sent.clear()

    def request(self, client: FakeClient, kind: int, body: bytes = b"", xid: int = 1) -> None:
        self.processor.handle_request(client, encode_int(xid) + encode_int(kind) + body)

    def create(self, client: FakeClient, path: str, acl: tuple[Acl, ...] = OPEN_ACL, flags: int = 0) -> None:
        self.request(
            client, OpCode.CREATE, encode_string(path) + encode_buffer(b"") + encode_acl(acl) + encode_int(flags)
        )


@pytest.fixture
def setup() -> Setup:
    return Setup()


@pytest.fixture
def client(setup: Setup) -> FakeClient:
    connected = FakeClient()
    setup.connect(connected)
    return connected


def watch_children(setup: Setup, client: FakeClient, path: str) -> None:
    setup.request(client, OpCode.GET_CHILDREN, encode_string(path) + b"\1")
    client.sent.clear()


def test_an_event_is_queued_before_the_answer_and_waits_for_the_same_transaction(
    setup: Setup, client: FakeClient
) -> None:
    other = FakeClient()
    setup.connect(other)
    watch_children(setup, client, "/")
    watch_children(setup, other, "/")
    setup.create(client, "/a")
    assert client.sent == [(-1, 3), (1, 3)]
    assert other.sent == [(-1, 3)]


def test_a_read_waits_for_the_transactions_that_it_has_seen(setup: Setup, client: FakeClient) -> None:
    setup.create(client, "/a")
    setup.request(client, OpCode.EXISTS, encode_string("/a") + b"\0", xid=2)
    assert client.sent == [(1, 2), (2, 2)]


def test_a_refused_write_is_not_logged(setup: Setup, client: FakeClient) -> None:
    setup.create(client, "/no/parent")
    assert len(setup.log) == 1  # the session
    assert client.sent == [(1, 1)]


def test_who_may_not_read_a_node_is_not_told_of_it(setup: Setup, client: FakeClient) -> None:
    owner = FakeClient()
    setup.connect(owner)
    owner.identities += (digest_id("bob:secret"),)
    setup.request(client, OpCode.ADD_WATCH, encode_string("/") + encode_int(1))
    client.sent.clear()
    setup.create(owner, "/secret", (Acl(ALL, digest_id("bob:secret")),))
    setup.create(owner, "/open", (Acl(READ, Id("world", "anyone")),))
    assert client.sent == [(-1, 4)]


def test_an_expired_session_is_closed_and_its_ephemerals_go(setup: Setup, client: FakeClient) -> None:
    setup.create(client, "/e", flags=1)
    setup.clock.advance_ms(10_000)
    setup.processor.expire_sessions(setup.clock.monotonic())
    assert client.closed == "its session expired"
    assert "/e" not in setup.processor.database.tree.nodes
    assert setup.processor.database.sessions == {}


def test_a_request_keeps_the_session_alive(setup: Setup, client: FakeClient) -> None:
    setup.clock.advance_ms(9_000)
    setup.request(client, OpCode.PING, xid=-2)
    setup.clock.advance_ms(9_000)
    setup.processor.expire_sessions(setup.clock.monotonic())
    assert client.closed is None


def test_a_session_taken_over_closes_its_older_connection(setup: Setup, client: FakeClient) -> None:
    again = FakeClient()
    setup.connect(again, session=(client.session_id, b"r" * 16))
    assert again.session_id == client.session_id
    assert client.closed is not None
    setup.processor.handle_disconnect(client)
    setup.clock.advance_ms(10_000)
    setup.processor.expire_sessions(setup.clock.monotonic())
    assert again.closed == "its session expired"


def test_a_log_that_fails_leaves_the_state_untouched(setup: Setup, client: FakeClient) -> None:
    def fail(_: LoggedTxn) -> None:
        raise LogDirError("d", "EIO")

    setup.processor._append = fail
    before = setup.processor.database.view()
    with pytest.raises(LogDirError):
        setup.create(client, "/a")
    assert setup.processor.database.view() == before
    assert client.sent == []


@pytest.mark.parametrize("body", [b"", b"\0", encode_int(1000), encode_int(-7)])
def test_bytes_that_are_no_request_are_the_peers_fault(setup: Setup, client: FakeClient, body: bytes) -> None:
    with pytest.raises(DecodeError):
        setup.request(client, OpCode.CREATE, body)


def test_unknown_requests_are_answered_as_unimplemented(setup: Setup, client: FakeClient) -> None:
    setup.request(client, 99)
    reply = Reader(client.payloads[-1])
    assert (reply.integer(), reply.long(), reply.integer()) == (1, 1, -6)
