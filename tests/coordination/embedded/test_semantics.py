"""What a client sees, the same from the embedded server as from Apache ZooKeeper. Each test runs against both."""

import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import (
    BadArgumentsError,
    BadVersionError,
    InvalidACLError,
    NoAuthError,
    NoChildrenForEphemeralsError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    RolledBackError,
    RuntimeInconsistency,
)
from kazoo.protocol.states import EventType, KazooState, WatchedEvent
from kazoo.security import make_acl, make_digest_acl

from ottla.coordination.embedded.jute import encode_int, encode_long, encode_string, encode_strings
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.stat import decode_stat
from support.raw_zookeeper import RawClient, create_body


@pytest.fixture
def make_client(zookeeper_address: str) -> Iterator[Callable[..., KazooClient]]:
    clients: list[KazooClient] = []

    def make(**options: Any) -> KazooClient:
        client = KazooClient(zookeeper_address, **({"timeout": 10} | options))
        clients.append(client)
        client.start(15)
        return client

    yield make
    for client in clients:
        client.stop()
        client.close()


@pytest.fixture
def client(make_client: Callable[..., KazooClient]) -> KazooClient:
    return make_client()


@pytest.fixture
def make_raw(zookeeper_address: str) -> Iterator[Callable[..., RawClient]]:
    clients: list[RawClient] = []

    def make(**options: Any) -> RawClient:
        raw = RawClient(int(zookeeper_address.rpartition(":")[2]), **options)
        clients.append(raw)
        return raw

    yield make
    for raw in clients:
        raw.close()


@pytest.fixture
def raw(make_raw: Callable[..., RawClient]) -> RawClient:
    return make_raw()


@pytest.fixture
def root(client: KazooClient) -> str:
    path = f"/test-{uuid.uuid4().hex}"
    client.create(path)
    return path


class Events:
    """A watcher that keeps what it was told."""

    def __init__(self) -> None:
        self._events: list[WatchedEvent] = []
        self._changed = threading.Condition()

    def __call__(self, event: WatchedEvent) -> None:
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()

    def wait(self, count: int) -> list[tuple[str, str]]:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._events) >= count, 10), self._events
            return [(event.type, event.path) for event in self._events]


def test_a_stat_tells_zxids_versions_and_counts(client: KazooClient, root: str) -> None:
    _, created = client.create(f"{root}/a", b"abc", include_data=True)
    changed = client.set(f"{root}/a", b"x")
    client.create(f"{root}/a/b")
    client.delete(f"{root}/a/b")
    stat = client.exists(f"{root}/a")
    assert created.czxid == created.mzxid == created.pzxid
    assert (changed.mzxid, changed.version, changed.data_length) == (created.czxid + 1, 1, 1)
    assert (stat.version, stat.cversion, stat.aversion, stat.numChildren) == (1, 2, 0, 0)
    assert stat.pzxid == changed.mzxid + 2


def test_sequential_names_count_the_parents_creations(client: KazooClient, root: str) -> None:
    first = client.create(f"{root}/n-", sequence=True)
    client.delete(first)
    client.create(f"{root}/other")
    second = client.create(f"{root}/n-", sequence=True, ephemeral=True)
    assert (first, second) == (f"{root}/n-0000000000", f"{root}/n-0000000002")


def test_errors_are_the_same(client: KazooClient, root: str) -> None:
    client.create(f"{root}/e", ephemeral=True)
    client.create(f"{root}/p")
    client.create(f"{root}/p/c")
    for error, call in [
        (NodeExistsError, lambda: client.create(f"{root}/p")),
        (NoNodeError, lambda: client.create(f"{root}/none/c")),
        (NoChildrenForEphemeralsError, lambda: client.create(f"{root}/e/c")),
        (NotEmptyError, lambda: client.delete(f"{root}/p")),
        (BadVersionError, lambda: client.delete(f"{root}/p", version=3)),
        (BadVersionError, lambda: client.set(f"{root}/p", b"", version=3)),
        (NoNodeError, lambda: client.set(f"{root}/none", b"")),
        (NoNodeError, lambda: client.get(f"{root}/none")),
        (NoNodeError, lambda: client.get_children(f"{root}/none")),
        (NoNodeError, lambda: client.get_acls(f"{root}/none")),
        (NoNodeError, lambda: client.delete(f"{root}/none")),
        (BadArgumentsError, lambda: client.delete("/zookeeper")),
        (BadArgumentsError, lambda: client.create(f"{root}/bad\x01name")),
        (InvalidACLError, lambda: client.create(f"{root}/a", acl=[make_acl("nonsense", "x", all=True)])),
        (InvalidACLError, lambda: client.create(f"{root}/a", acl=[make_acl("auth", "", all=True)])),
    ]:
        with pytest.raises(error):
            call()
    assert client.exists(f"{root}/none") is None


def test_the_system_nodes_are_there(client: KazooClient) -> None:
    assert {"config", "quota"} <= set(client.get_children("/zookeeper"))
    assert client.get_acls("/")[0][0].perms == 31
    assert client.get_acls("/zookeeper/config")[0][0].perms == 1


def test_ephemerals_go_with_their_session(
    make_client: Callable[..., KazooClient], client: KazooClient, root: str
) -> None:
    other = make_client()
    other.create(f"{root}/e", ephemeral=True)
    assert client.exists(f"{root}/e").ephemeralOwner == other.client_id[0]
    gone = Events()
    client.exists(f"{root}/e", watch=gone)
    other.stop()
    assert gone.wait(1) == [(EventType.DELETED, f"{root}/e")]
    assert client.exists(f"{root}/e") is None


def test_watches_report_once_and_before_the_answer(client: KazooClient, root: str) -> None:
    data, exists, children = Events(), Events(), Events()
    client.get(root, watch=data)
    client.exists(f"{root}/a", watch=exists)
    client.get_children(root, watch=children)
    client.create(f"{root}/a")
    client.set(root, b"1")
    client.set(root, b"2")
    client.create(f"{root}/b")
    assert data.wait(1) == [(EventType.CHANGED, root)]
    assert exists.wait(1) == [(EventType.CREATED, f"{root}/a")]
    assert children.wait(1) == [(EventType.CHILD, root)]


PERSISTENT, RECURSIVE = 0, 1
CREATED, DELETED, CHANGED, CHILDREN = 1, 2, 3, 4


def add_watch(raw: RawClient, path: str, mode: int) -> None:
    assert raw.call(OpCode.ADD_WATCH, encode_string(path) + encode_int(mode)).error == 0


def test_persistent_watches_stay(raw: RawClient, root: str) -> None:
    add_watch(raw, root, PERSISTENT)
    raw.create(f"{root}/a")
    raw.set(root, b"1")
    raw.set(root, b"2")
    raw.set(f"{root}/a", b"1")
    raw.delete(f"{root}/a")
    assert raw.events == [(CHILDREN, root), (CHANGED, root), (CHANGED, root), (CHILDREN, root)]


def test_recursive_watches_cover_what_is_below(raw: RawClient, root: str) -> None:
    add_watch(raw, root, RECURSIVE)
    raw.create(f"{root}/a")
    raw.create(f"{root}/a/b")
    raw.set(f"{root}/a/b", b"1")
    raw.delete(f"{root}/a/b")
    below = f"{root}/a/b"
    assert raw.events == [(CREATED, f"{root}/a"), (CREATED, below), (CHANGED, below), (DELETED, below)]


def test_watches_can_be_checked_and_removed(raw: RawClient, root: str) -> None:
    raw.get(root, watch=True)
    wanted = encode_string(root) + encode_int(2)
    assert raw.call(OpCode.CHECK_WATCHES, wanted).error == 0
    assert raw.call(OpCode.REMOVE_WATCHES, wanted).error == 0
    assert raw.call(OpCode.REMOVE_WATCHES, wanted).error == -121
    raw.set(root, b"1")
    assert raw.events == []


def test_watches_put_back_after_a_reconnect_report_what_was_missed(raw: RawClient, root: str) -> None:
    seen = raw.create(f"{root}/kept").zxid
    raw.set(root, b"missed")
    raw.create(f"{root}/appeared")
    names = [[root, f"{root}/kept"], [f"{root}/appeared", f"{root}/absent"], [root, f"{root}/gone"]]
    raw.call(OpCode.SET_WATCHES, encode_long(seen) + b"".join(encode_strings(paths) for paths in names))
    assert raw.events == [
        (CHANGED, root),
        (CREATED, f"{root}/appeared"),
        (CHILDREN, root),
        (DELETED, f"{root}/gone"),
    ]
    raw.set(f"{root}/kept", b"later")
    assert raw.events[-1] == (CHANGED, f"{root}/kept")


def test_a_multi_is_all_or_nothing(client: KazooClient, root: str) -> None:
    failing = client.transaction()
    failing.create(f"{root}/a")
    failing.check(root, 7)
    failing.create(f"{root}/b")
    results = failing.commit()
    assert [type(result) for result in results] == [RolledBackError, BadVersionError, RuntimeInconsistency]
    assert client.get_children(root) == []
    working = client.transaction()
    working.create(f"{root}/a")
    working.create(f"{root}/a/s", sequence=True)
    working.set_data(f"{root}/a", b"x", 0)
    working.check(f"{root}/a", 1)
    working.delete(f"{root}/a/s0000000000")
    results = working.commit()
    assert results[:2] == [f"{root}/a", f"{root}/a/s0000000000"]
    assert results[2].version == 1
    assert results[3:] == [True, True]


def test_acls_are_enforced(make_client: Callable[..., KazooClient], client: KazooClient, root: str) -> None:
    bob = make_client(auth_data=[("digest", "bob:secret")])
    acl = [make_digest_acl("bob", "secret", all=True), make_acl("world", "anyone", read=True)]
    bob.create(f"{root}/a", b"data", acl=acl)
    assert client.get(f"{root}/a")[0] == b"data"
    assert client.get_acls(f"{root}/a")[0][0].id.id == "bob:x"
    for call in (
        lambda: client.set(f"{root}/a", b""),
        lambda: client.create(f"{root}/a/b"),
        lambda: client.set_acls(f"{root}/a", acl),
    ):
        with pytest.raises(NoAuthError):
            call()
    bob.create(f"{root}/a/b", acl=[make_acl("auth", "", all=True)])
    with pytest.raises(NoAuthError):
        client.get(f"{root}/a/b")
    with pytest.raises(NoAuthError):
        client.delete(f"{root}/a/b")
    assert bob.set_acls(f"{root}/a", acl, version=0).aversion == 1
    with pytest.raises(BadVersionError):
        bob.set_acls(f"{root}/a", acl, version=0)
    bob.create(f"{root}/ip", acl=[make_acl("ip", "127.0.0.0/8", all=True)])
    client.set(f"{root}/ip", b"")


def test_a_client_that_lost_its_connection_keeps_its_session_and_ephemerals(
    make_client: Callable[..., KazooClient], client: KazooClient, root: str
) -> None:
    other = make_client()
    other.create(f"{root}/e", ephemeral=True)
    session_id = other.client_id[0]
    back = threading.Event()
    other.add_listener(lambda state: back.set() if state == KazooState.CONNECTED else None)
    back.clear()
    other._connection._socket.shutdown(socket.SHUT_RDWR)
    assert back.wait(15)
    assert other.client_id[0] == session_id
    assert client.exists(f"{root}/e") is not None


def test_the_same_session_by_another_connection_closes_the_first(
    make_client: Callable[..., KazooClient], client: KazooClient, root: str
) -> None:
    client.create(f"{root}/e", ephemeral=True)
    lost = threading.Event()
    client.add_listener(lambda state: lost.set() if state == KazooState.SUSPENDED else None)
    session = client.client_id
    thief = make_client(client_id=session)
    assert lost.wait(15)
    assert thief.client_id == session


def test_a_wrong_password_does_not_get_the_session(
    make_client: Callable[..., KazooClient], client: KazooClient
) -> None:
    session_id = client.client_id[0]
    stranger = make_client(client_id=(session_id, b"wrong-password!!"))
    assert stranger.client_id[0] != session_id


def test_session_timeouts_are_negotiated(make_raw: Callable[..., RawClient]) -> None:
    assert make_raw(timeout_ms=100).timeout_ms == 200  # twice the tickTime
    assert make_raw(timeout_ms=7000).timeout_ms == 7000
    assert make_raw(timeout_ms=1_000_000).timeout_ms == 60_000


def test_a_session_that_is_not_heard_from_expires(
    make_raw: Callable[..., RawClient], client: KazooClient, root: str
) -> None:
    silent = make_raw(timeout_ms=1000)
    silent.create(f"{root}/e", flags=1)
    gone = Events()
    client.exists(f"{root}/e", watch=gone)
    assert gone.wait(1) == [(EventType.DELETED, f"{root}/e")]
    again = make_raw(session=(silent.session_id, silent.password))
    assert (again.session_id, again.timeout_ms) == (0, 0)


def test_a_client_from_the_future_is_turned_away(make_raw: Callable[..., RawClient]) -> None:
    with pytest.raises(ConnectionError):
        make_raw(zxid=1 << 60)


def test_pipelined_requests_are_answered_in_order(client: KazooClient, root: str) -> None:
    futures = []
    for number in range(200):
        futures.append(client.set_async(root, b"%d" % number))
        futures.append(client.get_async(root))
    for number in range(200):
        assert futures[2 * number].get(10).version == number + 1
        assert futures[2 * number + 1].get(10)[0] == b"%d" % number


def test_sync_and_read_see_another_clients_write(
    make_client: Callable[..., KazooClient], client: KazooClient, root: str
) -> None:
    make_client().set(root, b"written")
    assert client.sync(root) == root
    assert client.get(root)[0] == b"written"


def test_a_null_value_stays_apart_from_an_empty_one(raw: RawClient, root: str) -> None:
    raw.create(f"{root}/null", None)
    raw.create(f"{root}/empty", b"")
    assert raw.get(f"{root}/null").body.buffer() is None
    assert raw.get(f"{root}/empty").body.buffer() == b""


def test_containers_and_ttl_nodes_belong_to_no_session(raw: RawClient, root: str) -> None:
    container = raw.call(OpCode.CREATE_CONTAINER, create_body(f"{root}/c", flags=4))
    ttl = raw.call(OpCode.CREATE_TTL, create_body(f"{root}/t", flags=5, ttl_ms=5000))
    assert (container.error, ttl.error) == (0, 0)
    assert [reply.body.string() for reply in (container, ttl)] == [f"{root}/c", f"{root}/t"]
    assert [decode_stat(reply.body.take(68)).ephemeral_owner for reply in (container, ttl)] == [0, 0]
    assert raw.call(OpCode.CREATE_TTL, create_body(f"{root}/u", flags=5, ttl_ms=0)).error == -8


def test_reads_can_be_joined_and_each_fails_alone(raw: RawClient, root: str) -> None:
    raw.create(f"{root}/a", b"x")
    header = [encode_int(kind) + b"\0" + encode_int(-1) for kind in (OpCode.GET_DATA, OpCode.GET_CHILDREN)]
    end = encode_int(-1) + b"\1" + encode_int(-1)
    request = header[0] + encode_string(f"{root}/none") + b"\0" + header[1] + encode_string(root) + b"\0" + end
    body = raw.call(OpCode.MULTI_READ, request).body
    assert (body.integer(), body.boolean(), body.integer(), body.integer()) == (-1, False, -101, -101)
    assert (body.integer(), body.boolean(), body.integer(), body.strings()) == (8, False, 0, ["a"])
    assert (body.integer(), body.boolean()) == (-1, True)


def test_ephemerals_children_and_identity_can_be_asked_for(raw: RawClient, root: str) -> None:
    raw.create(f"{root}/e", flags=1)
    raw.create(f"{root}/p")
    raw.create(f"{root}/p/q")
    assert raw.call(OpCode.GET_EPHEMERALS, encode_string(root)).body.strings() == [f"{root}/e"]
    assert raw.call(OpCode.GET_ALL_CHILDREN_NUMBER, encode_string(root)).body.integer() == 3
    who = raw.call(OpCode.WHO_AM_I).body
    assert (who.integer(), who.string(), who.string()) == (1, "ip", "127.0.0.1")


def test_a_request_before_the_handshake_and_one_of_absurd_size_close_the_connection(
    make_raw: Callable[..., RawClient],
) -> None:
    raw = make_raw()
    raw.sock.sendall(encode_int(1 << 30))
    with pytest.raises(ConnectionError):
        raw.receive()
