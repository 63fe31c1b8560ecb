"""What `session.Session` promises, on each of its implementations and servers."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ottla.clock import SystemClock
from ottla.coordination.acl import ALL, READ_ACL, Acl, Id, digest_id
from ottla.coordination.connect_string import ConnectString, parse_connect_string
from ottla.coordination.errors import (
    BadVersionError,
    ConnectionLossError,
    NoAuthError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    RequestTooLargeError,
    SessionClosedError,
    SessionExpiredError,
)
from ottla.coordination.kazoo_session import KazooSession, SessionOptions
from ottla.coordination.session import (
    CheckOp,
    CreateOp,
    DeleteOp,
    EventType,
    Session,
    SessionEvent,
    SessionState,
    SetOp,
    WatchEvent,
)
from ottla.testing.memory_session import MemorySession, MemoryZooKeeper
from support.coroutines import on_event_loop
from support.cuttable_proxy import CuttableProxy
from support.zookeepers import ZooKeeperProcess

TIMEOUT_MS = 1200


class Backend:
    """Makes sessions on one tree, and breaks their connections."""

    def __init__(self, address: str | None, chroot: str) -> None:
        self.address = address
        self.chroot = chroot
        self.memory = MemoryZooKeeper(SystemClock())
        self.sessions: list[Session] = []
        self.proxies: dict[int, CuttableProxy] = {}

    async def open(self, *, timeout_ms: int = 10_000, digest: str | None = None, set_acl: bool = False) -> Session:
        session: Session
        if self.address is None:
            identities = (digest_id(digest),) if digest else ()
            session = self.memory.session(timeout_ms=timeout_ms, set_acl=set_acl, identities=identities)
        else:
            proxy = CuttableProxy(self.address)
            connect = ConnectString(parse_connect_string(await proxy.start()).servers, self.chroot)
            options = SessionOptions(connect, timeout_ms, digest=digest, set_acl=set_acl)
            session = KazooSession(options, SystemClock())
            self.proxies[id(session)] = proxy
        self.sessions.append(session)
        await session.start()
        return session

    def cut(self, session: Session) -> None:
        if isinstance(session, MemorySession):
            session.disconnect()
        else:
            self.proxies[id(session)].cut()

    def freeze(self, session: Session) -> None:
        if isinstance(session, MemorySession):
            session.disconnect()
        else:
            self.proxies[id(session)].freeze()

    def heal(self, session: Session) -> None:
        if isinstance(session, MemorySession):
            session.reconnect()
        else:
            self.proxies[id(session)].heal()

    async def close(self) -> None:
        for session in self.sessions:
            await session.close()
        for proxy in self.proxies.values():
            await proxy.close()


@pytest.fixture(params=["memory", "embedded", "debian"])
def backend(request: pytest.FixtureRequest, zookeeper_by_name: Callable[[str], ZooKeeperProcess]) -> Callable[[], Any]:
    address = None if request.param == "memory" else zookeeper_by_name(request.param).address
    chroot = f"/{abs(hash(request.node.name))}"

    @asynccontextmanager
    async def opened() -> AsyncIterator[Backend]:
        backend = Backend(address, chroot)
        try:
            yield backend
        finally:
            await backend.close()

    return opened


class Events:
    """What a session or a watch told, and a way to wait for more."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self._changed = asyncio.Event()

    def __call__(self, event: Any) -> None:
        self.seen.append(event)
        self._changed.set()

    async def wait_for(self, *events: Any) -> None:
        while self.seen[-len(events) :] != list(events):
            self._changed.clear()
            await self._changed.wait()


@on_event_loop
async def test_created_node_is_read_back_with_its_stat(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open()
        path, created = await session.create("/a", b"one")
        data, stat = await session.get("/a")
        assert (path, data, stat) == ("/a", b"one", created)
        assert (stat.version, stat.ephemeral_owner, stat.data_length) == (0, 0, 3)
        changed = await session.set("/a", b"two")
        assert changed.version == 1
        assert changed.mzxid > stat.czxid
        await session.delete("/a", 1)
        assert await session.exists("/a") is None


@on_event_loop
async def test_refusals_are_errors_that_name_the_path(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open()
        await session.create("/a")
        await session.create("/a/b")
        with pytest.raises(NodeExistsError, match="/a"):
            await session.create("/a")
        with pytest.raises(NoNodeError, match="/x"):
            await session.get("/x")
        with pytest.raises(NoNodeError):
            await session.create("/x/y")
        with pytest.raises(BadVersionError, match="/a/b"):
            await session.set("/a/b", b"", 7)
        with pytest.raises(NotEmptyError):
            await session.delete("/a")


@on_event_loop
async def test_parents_are_made_on_request(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open()
        await session.create("/p/q/r", b"deep", make_parents=True)
        await session.create("/p/q/s", make_parents=True)
        assert await session.children("/p/q") == ["r", "s"]


@on_event_loop
async def test_sequential_names_count_up(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open()
        await session.create("/n")
        names = [(await session.create("/n/c_", sequence=True))[0] for _ in range(2)]
        assert names == ["/n/c_0000000000", "/n/c_0000000001"]


@on_event_loop
async def test_multi_does_all_or_nothing(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open()
        await session.create("/guard")
        await session.create("/old")
        done = await session.multi(
            [CheckOp("/guard", 0), CreateOp("/new", b"n"), SetOp("/guard", b"g", 0), DeleteOp("/old")]
        )
        assert done[:2] == [None, "/new"]
        assert done[2].version == 1
        with pytest.raises(BadVersionError, match="/guard"):
            await session.multi([SetOp("/new", b"x"), CheckOp("/guard", 0), CreateOp("/never")])
        assert (await session.get("/new"))[0] == b"n"
        assert await session.exists("/never") is None


@on_event_loop
async def test_write_that_no_server_takes_is_refused_with_its_size_and_the_session_goes_on(backend: Any) -> None:
    too_much = b"x" * (1 << 20)
    async with backend() as opened:
        session = await opened.open()
        await session.create("/a")
        for write in (
            lambda: session.create("/b", too_much),
            lambda: session.set("/a", too_much),
            lambda: session.multi([SetOp("/a", too_much[:600_000]), CreateOp("/b", too_much[:600_001])]),
        ):
            with pytest.raises(RequestTooLargeError, match=r"would take 1\d{6} bytes, and at most 1044479 fit"):
                await write()
        assert (await session.get("/a"))[0] == b""
        assert await session.exists("/b") is None
        await session.set("/a", too_much[:1_000_000])
        assert session.lease_valid()


@on_event_loop
async def test_watch_fires_once_and_before_the_change_can_be_read(backend: Any) -> None:
    async with backend() as zookeeper:
        session, other = await zookeeper.open(), await zookeeper.open()
        await session.create("/w", b"0")
        watch = Events()
        await session.get("/w", watch)
        await other.set("/w", b"1")
        await session.sync("/w")
        data, _ = await session.get("/w")
        assert (data, watch.seen) == (b"1", [WatchEvent(EventType.CHANGED, "/w")])
        await other.set("/w", b"2")
        await session.sync("/w")
        await session.get("/w")
        assert len(watch.seen) == 1


@on_event_loop
async def test_watches_tell_of_creation_deletion_and_children(backend: Any) -> None:
    async with backend() as zookeeper:
        session, other = await zookeeper.open(), await zookeeper.open()
        await session.create("/parent")
        created, children, deleted = Events(), Events(), Events()
        await session.exists("/parent/c", created)
        await session.children("/parent", children)
        await other.create("/parent/c")
        await created.wait_for(WatchEvent(EventType.CREATED, "/parent/c"))
        await children.wait_for(WatchEvent(EventType.CHILD, "/parent"))
        await session.get("/parent/c", deleted)
        await other.delete("/parent/c")
        await deleted.wait_for(WatchEvent(EventType.DELETED, "/parent/c"))


@on_event_loop
async def test_ephemeral_node_goes_when_its_session_is_closed(backend: Any) -> None:
    async with backend() as zookeeper:
        session, other = await zookeeper.open(), await zookeeper.open()
        _, stat = await other.create("/e", ephemeral=True)
        assert stat.ephemeral_owner == other.session_id
        watch = Events()
        await session.exists("/e", watch)
        await other.close()
        await watch.wait_for(WatchEvent(EventType.DELETED, "/e"))
        with pytest.raises(SessionClosedError):
            await other.get("/")


@on_event_loop
async def test_many_requests_at_once_are_answered_in_order(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open()
        await session.create("/m", b"")
        order: list[int] = []
        requests = [asyncio.ensure_future(session.set("/m", b"%d" % n)) for n in range(600)]
        for n, request in enumerate(requests):
            request.add_done_callback(lambda _, n=n: order.append(n))
        stats = await asyncio.gather(*requests)
        assert [stat.version for stat in stats] == list(range(1, 601))
        assert order == list(range(600))


@on_event_loop
async def test_lost_connection_suspends_and_resumes_the_same_session(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open()
        states, watch = Events(), Events()
        session.subscribe(states)
        before = session.session_id
        await session.create("/e", b"mine", ephemeral=True)
        await session.get("/e", watch)
        zookeeper.cut(session)
        await states.wait_for(SessionEvent.SUSPENDED)
        await watch.wait_for(WatchEvent(EventType.NONE, "/e"))
        assert session.state is SessionState.SUSPENDED
        assert session.lease_valid()
        reads = [asyncio.ensure_future(session.get("/e")) for _ in range(400)]
        zookeeper.heal(session)
        assert {data for data, _ in await asyncio.gather(*reads)} == {b"mine"}
        assert session.session_id == before
        assert states.seen == [SessionEvent.SUSPENDED, SessionEvent.RESUMED]


@on_event_loop
async def test_silence_for_one_timeout_expires_the_session_whatever_the_connection_says(backend: Any) -> None:
    async with backend() as zookeeper:
        session, other = await zookeeper.open(timeout_ms=TIMEOUT_MS), await zookeeper.open()
        states, watch = Events(), Events()
        session.subscribe(states)
        before = session.session_id
        await session.create("/e", ephemeral=True)
        zookeeper.freeze(session)
        pending = asyncio.ensure_future(session.get("/e"))
        while session.state is not SessionState.EXPIRED:  # noqa: ASYNC110 - asking for the state is what is tested
            await asyncio.sleep(0.01)
        assert not session.lease_valid()
        with pytest.raises(SessionExpiredError):
            await pending
        with pytest.raises(SessionExpiredError):
            await session.get("/e")
        zookeeper.heal(session)
        await states.wait_for(SessionEvent.EXPIRED, SessionEvent.RENEWED)
        assert session.session_id != before
        if await other.exists("/e", watch) is not None:
            await watch.wait_for(WatchEvent(EventType.DELETED, "/e"))
        await session.create("/e", ephemeral=True)


@on_event_loop
async def test_idle_session_outlives_its_timeout_many_times(backend: Any) -> None:
    async with backend() as zookeeper:
        session = await zookeeper.open(timeout_ms=400)
        states = Events()
        session.subscribe(states)
        for _ in range(20):
            await asyncio.sleep(0.1)
            zookeeper.memory.tick()
            assert session.lease_valid()
        assert states.seen == []


@on_event_loop
async def test_acls_let_only_the_creator_write_and_hide_what_is_secret(backend: Any) -> None:
    async with backend() as zookeeper:
        owner = await zookeeper.open(digest="kafka:secret", set_acl=True)
        stranger = await zookeeper.open()
        await owner.create("/brokers")
        await owner.create("/config/users/alice", b"password", make_parents=True)
        await owner.create("/consumers")
        assert (await stranger.get("/brokers"))[0] == b""
        with pytest.raises(NoAuthError):
            await stranger.set("/brokers", b"x")
        with pytest.raises(NoAuthError):
            await stranger.get("/config/users/alice")
        await stranger.create("/consumers/g")
        await owner.create("/own", acl=(Acl(ALL, Id("world", "anyone")),))
        await stranger.set("/own", b"x")


@on_event_loop
async def test_acls_can_be_read_without_the_hashes_of_passwords(backend: Any) -> None:
    async with backend() as zookeeper:
        owner = await zookeeper.open(digest="kafka:secret", set_acl=True)
        stranger = await zookeeper.open()
        await owner.create("/brokers")
        acl, stat = await owner.get_acl("/brokers")
        hidden, _ = await stranger.get_acl("/brokers")
        assert (set(acl), stat.aversion) == ({Acl(ALL, digest_id("kafka:secret")), *READ_ACL}, 0)
        assert set(hidden) == {Acl(ALL, Id("digest", "kafka:x")), *READ_ACL}
        with pytest.raises(NoNodeError):
            await owner.get_acl("/nowhere")


@on_event_loop
async def test_missing_server_is_an_error_that_names_it(tmp_path: Path) -> None:
    options = SessionOptions(parse_connect_string("127.0.0.1:1"), connection_timeout_ms=200)
    with pytest.raises(ConnectionLossError, match=r"127\.0\.0\.1:1 answered within 200 ms"):
        await KazooSession(options, SystemClock()).start()
