"""`Session` over a tree of znodes in this process, for unit tests and simulation.

`MemoryZooKeeper` is the ensemble: one tree, any number of sessions, a clock that the test moves. Everything is executed
when it is called, and answered in a later turn of the event loop, in order. What a test can do to a session:

    session.disconnect()                 the network is gone; the session lives on until its timeout
    session.reconnect()
    session.lose_next_write(executed=…)  the connection breaks before or after the server executed the next write
    zookeeper.expire(session)            as if the server had not heard from it
    zookeeper.tick()                     after moving the clock: connected sessions are heard of, silent ones expire
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from ottla.clock import Clock
from ottla.coordination.acl import ADMIN, READ, Acl, AclList, Caller, Id, hide_digests, permits
from ottla.coordination.created_acl import created_acl
from ottla.coordination.errors import (
    ConnectionLossError,
    NoAuthError,
    NodeExistsError,
    NoNodeError,
    RequestTooLargeError,
    SessionClosedError,
    SessionExpiredError,
    ZooKeeperError,
)
from ottla.coordination.lease import Lease
from ottla.coordination.operations import (
    Applied,
    Change,
    Check,
    CloseSessionTxn,
    Create,
    Created,
    CreateMode,
    Delete,
    Multi,
    Operation,
    SetData,
    SingleOperation,
)
from ottla.coordination.planner import MultiFailedError
from ottla.coordination.request_size import check_request_size
from ottla.coordination.session import (
    ANY_VERSION,
    CheckOp,
    CreateOp,
    DeleteOp,
    EventType,
    Op,
    OpResult,
    SessionEvent,
    SessionState,
    SetOp,
    StateCallback,
    Watch,
    WatchEvent,
)
from ottla.coordination.stat import Stat
from ottla.coordination.tree import ZnodeTree
from ottla.coordination.watches import Watches, WatchTable

T = TypeVar("T")

_FIRST_SESSION_ID = 0x1000_0000_0000_0001


class Watching:
    """One watch of one session: what the tables of watches hold."""

    __slots__ = ("callback", "path", "session")

    def __init__(self, session: "MemorySession", path: str, callback: Watch) -> None:
        self.session = session
        self.path = path
        self.callback = callback


class MemoryZooKeeper:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.tree = ZnodeTree()
        self.watches: Watches[Watching] = Watches()
        self._sessions: dict[int, MemorySession] = {}
        self._last_heard: dict[int, float] = {}
        self._zxid = 0

    def session(
        self, *, timeout_ms: int = 18_000, set_acl: bool = False, identities: tuple[Id, ...] = ()
    ) -> "MemorySession":
        return MemorySession(self, timeout_ms, set_acl=set_acl, identities=identities)

    def open(self, session: "MemorySession") -> int:
        self._zxid += 1
        session_id = _FIRST_SESSION_ID + self._zxid
        self._sessions[session_id] = session
        self.hear(session_id)
        return session_id

    def hear(self, session_id: int) -> None:
        self._last_heard[session_id] = self.clock.monotonic()

    def close(self, session_id: int) -> None:
        if self._sessions.pop(session_id, None) is not None:
            self._zxid += 1
            applied = self.tree.apply(CloseSessionTxn(), session_id, self._zxid, self.clock.wall_ms())
            self._report(applied.changes)

    def knows(self, session_id: int) -> bool:
        return session_id in self._sessions

    def expire(self, session: "MemorySession") -> None:
        session_id = session.session_id
        self.close(session_id)
        session.server_expired(session_id)

    def tick(self) -> None:
        now = self.clock.monotonic()
        for session_id, session in list(self._sessions.items()):
            if session.connected and session.session_id == session_id:
                self.hear(session_id)
                session.heard()
            elif now - self._last_heard[session_id] >= session.timeout_ms / 1000:
                self.close(session_id)
        for session in list(self._sessions.values()):
            _ = session.state

    def execute(self, operation: Operation, caller: Caller) -> Applied:
        transaction = self.tree.plan(operation, caller)
        self._zxid += 1
        applied = self.tree.apply(transaction, caller.session_id, self._zxid, self.clock.wall_ms())
        self._report(applied.changes)
        return applied

    def _report(self, changes: list[Change]) -> None:
        for change in changes:
            for watching in self.watches.trigger(change):
                watching.session.fire(watching, EventType(int(change.type)))


class _Waiting(NamedTuple):
    future: "asyncio.Future[Any]"
    run: Callable[[], Any]
    write: bool


class MemorySession:
    def __init__(
        self, zookeeper: MemoryZooKeeper, timeout_ms: int, *, set_acl: bool = False, identities: tuple[Id, ...] = ()
    ) -> None:
        self._zookeeper = zookeeper
        self._timeout_ms = timeout_ms
        self._set_acl = set_acl
        self._identities = identities
        self._session_id = 0
        self._state = SessionState.CONNECTING
        self._lease = Lease(zookeeper.clock)
        self._subscribers: list[StateCallback] = []
        self._watchings: dict[Watching, None] = {}
        self._waiting: list[_Waiting] = []
        self._lose_next: bool | None = None
        self.connected = True

    # State

    @property
    def session_id(self) -> int:
        return self._session_id

    @property
    def timeout_ms(self) -> int:
        return self._timeout_ms

    @property
    def state(self) -> SessionState:
        if self._state in (SessionState.CONNECTED, SessionState.SUSPENDED) and not self._lease.valid():
            self._expire()
        return self._state

    def lease_valid(self) -> bool:
        return self._lease.valid()

    def subscribe(self, callback: StateCallback) -> Callable[[], None]:
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        if not self.connected:
            raise ConnectionLossError("no ZooKeeper server answered")
        self._begin(SessionEvent.CONNECTED)

    async def close(self) -> None:
        if self._state is SessionState.CLOSED:
            return
        if self.connected:
            self._zookeeper.close(self._session_id)
        self._state = SessionState.CLOSED
        self._drop_watches()
        self._fail_waiting(SessionClosedError("the session was closed"))
        self._lease.end()

    def _begin(self, event: SessionEvent) -> None:
        self._session_id = self._zookeeper.open(self)
        self._lease.begin(self._zookeeper.clock.monotonic(), self._timeout_ms)
        self._state = SessionState.CONNECTED
        self._tell(event)

    def _expire(self) -> None:
        self._state = SessionState.EXPIRED
        self._lease.end()
        self._drop_watches()
        self._fail_waiting(SessionExpiredError(f"session 0x{self._session_id:x} is over"))
        self._loop.call_soon(self._tell, SessionEvent.EXPIRED)
        if self.connected:
            self._loop.call_soon(self._renew)

    def _renew(self) -> None:
        if self._state is SessionState.EXPIRED and self.connected:
            self._zookeeper.close(self._session_id)
            self._begin(SessionEvent.RENEWED)

    def _tell(self, event: SessionEvent) -> None:
        for callback in list(self._subscribers):
            callback(event)

    def _fail_waiting(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            if not request.future.done():
                request.future.set_exception(error)

    # What a test does to it

    def disconnect(self) -> None:
        self.connected = False
        if self.state is SessionState.CONNECTED:
            self._state = SessionState.SUSPENDED
            self._loop.call_soon(self._tell, SessionEvent.SUSPENDED)
            for watching in list(self._watchings):
                self.fire(watching, EventType.NONE)
            self._drop_watches()

    def reconnect(self) -> None:
        self.connected = True
        if self.state is SessionState.EXPIRED:
            self._loop.call_soon(self._renew)  # not before the news of the expiry
        elif self._state is SessionState.SUSPENDED:
            if self._zookeeper.knows(self._session_id):
                self._resume()
            else:
                self._expire()

    def _resume(self) -> None:
        self._state = SessionState.CONNECTED
        self.heard()
        self._loop.call_soon(self._tell, SessionEvent.RESUMED)
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._execute(request)

    def lose_next_write(self, *, executed: bool) -> None:
        self._lose_next = executed

    def server_expired(self, session_id: int) -> None:
        if session_id == self._session_id and self.connected and self._state is SessionState.CONNECTED:
            self._expire()

    def heard(self) -> None:
        self._zookeeper.hear(self._session_id)
        self._lease.renew(self._zookeeper.clock.monotonic())

    # Watches

    def fire(self, watching: Watching, event: EventType) -> None:
        if self._watchings.pop(watching, watching) is None:
            self._arrive(self._deliver, self._session_id, watching, event)

    def _arrive(self, callback: Callable[..., None], *args: Any) -> None:
        """What the server sent is here, in the order in which it was sent. The simulation takes its time."""
        self._loop.call_soon(callback, *args)

    def _deliver(self, session_id: int, watching: Watching, event: EventType) -> None:
        alive = self._state in (SessionState.CONNECTED, SessionState.SUSPENDED)
        if alive and session_id == self._session_id:
            watching.callback(WatchEvent(event, watching.path))

    def _watch(self, table: WatchTable[Watching], path: str, watch: Watch | None) -> None:
        if watch is not None:
            watching = Watching(self, path, watch)
            self._watchings[watching] = None
            table.add(path, watching)

    def _drop_watches(self) -> None:
        for watching in list(self._watchings):
            self._zookeeper.watches.remove_watcher(watching)
        self._watchings.clear()

    # Requests

    def get(self, path: str, watch: Watch | None = None) -> "asyncio.Future[tuple[bytes, Stat]]":
        def run() -> tuple[bytes, Stat]:
            node = self._zookeeper.tree.readable_node(path, self._caller())
            self._watch(self._zookeeper.watches.data, path, watch)
            return node.data or b"", self._zookeeper.tree.stat(path)

        return self._request(run)

    def exists(self, path: str, watch: Watch | None = None) -> "asyncio.Future[Stat | None]":
        def run() -> Stat | None:
            self._watch(self._zookeeper.watches.data, path, watch)
            tree = self._zookeeper.tree
            return tree.stat(path) if path in tree.nodes else None

        return self._request(run)

    def children(self, path: str, watch: Watch | None = None) -> "asyncio.Future[list[str]]":
        def run() -> list[str]:
            node = self._zookeeper.tree.node(path)
            if not permits(node.acl, READ, self._caller().identities):
                raise NoAuthError(path)
            self._watch(self._zookeeper.watches.children, path, watch)
            return sorted(self._zookeeper.tree.children[path])

        return self._request(run)

    def get_acl(self, path: str) -> "asyncio.Future[tuple[AclList, Stat]]":
        def run() -> tuple[AclList, Stat]:
            caller = self._caller()
            acl = self._zookeeper.tree.readable_node(path, caller, READ | ADMIN).acl
            shown = acl if permits(acl, ADMIN, caller.identities) else hide_digests(acl)
            return shown, self._zookeeper.tree.stat(path)

        return self._request(run)

    async def create(
        self,
        path: str,
        data: bytes = b"",
        *,
        ephemeral: bool = False,
        sequence: bool = False,
        acl: tuple[Acl, ...] | None = None,
        make_parents: bool = False,
    ) -> tuple[str, Stat]:
        op = CreateOp(path, data, ephemeral, sequence, acl)
        check_request_size([op])
        while True:
            try:
                created: Created = await self._write(self._operation(op))
                return created.path, created.stat
            except NoNodeError:
                if not make_parents or path.count("/") == 1:
                    raise
                with contextlib.suppress(NodeExistsError):
                    await self.create(path.rpartition("/")[0], make_parents=True)

    def set(self, path: str, data: bytes, version: int = ANY_VERSION) -> "asyncio.Future[Stat]":
        try:
            check_request_size([SetOp(path, data, version)])
        except RequestTooLargeError as error:
            return self._refused(error)
        return self._write(SetData(path, data, version))

    def delete(self, path: str, version: int = ANY_VERSION) -> "asyncio.Future[None]":
        return self._write(Delete(path, version))

    def sync(self, path: str) -> "asyncio.Future[None]":
        return self._request(lambda: None)

    def multi(self, ops: Sequence[Op]) -> "asyncio.Future[list[OpResult]]":
        try:
            check_request_size(ops)
        except RequestTooLargeError as error:
            return self._refused(error)
        operation = Multi(tuple(self._operation(op) for op in ops))

        def run() -> list[OpResult]:
            try:
                results = self._zookeeper.execute(operation, self._caller()).result
            except MultiFailedError as failed:
                raise failed.cause from None
            assert isinstance(results, list)
            return [result.path if isinstance(result, Created) else result for result in results]

        return self._request(run, write=True)

    def _write(self, operation: Operation) -> "asyncio.Future[Any]":
        return self._request(lambda: self._zookeeper.execute(operation, self._caller()).result, write=True)

    def _refused(self, error: ZooKeeperError) -> "asyncio.Future[Any]":
        refused: asyncio.Future[Any] = self._loop.create_future()
        refused.set_exception(error)
        return refused

    def _operation(self, op: Op) -> SingleOperation:
        match op:
            case CreateOp():
                acl = created_acl(op.path, secure=self._set_acl) if op.acl is None else op.acl
                mode = CreateMode(op.ephemeral | op.sequence << 1)
                return Create(op.path, op.data, acl, mode)
            case SetOp():
                return SetData(op.path, op.data, op.version)
            case DeleteOp():
                return Delete(op.path, op.version)
            case CheckOp():
                return Check(op.path, op.version)

    def _caller(self) -> Caller:
        return Caller(self._session_id, self._identities)

    def _request(self, run: Callable[[], T], *, write: bool = False) -> "asyncio.Future[T]":
        request = _Waiting(self._loop.create_future(), run, write)
        if self.state is SessionState.CLOSED:
            request.future.set_exception(SessionClosedError("the session was closed"))
        elif self._state is SessionState.EXPIRED:
            request.future.set_exception(SessionExpiredError("there is no session now"))
        elif self._state is SessionState.SUSPENDED:
            self._waiting.append(request)
        else:
            self._execute(request)
        return request.future

    def _execute(self, request: _Waiting) -> None:
        lose, self._lose_next = (self._lose_next, None) if request.write else (None, self._lose_next)
        try:
            result = request.run() if lose is not False else None
        except ZooKeeperError as error:
            result = error
        if lose is not None:
            result = ConnectionLossError("connection lost during a write")
            self.disconnect()
        else:
            self.heard()
        self._answer(request, result)

    def _answer(self, request: _Waiting, result: Any) -> None:
        self._arrive(_settle, request.future, result)


def _settle(future: "asyncio.Future[Any]", result: Any) -> None:
    if future.done():
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
