"""One kazoo client, its threads kept behind: the only module that imports kazoo. Used by `kazoo_session` alone.

kazoo runs one thread here, the one that owns the socket. Its two worker threads, which would run callbacks, are not
started: results, watches and state changes go from the socket's thread straight into the mailbox of the event loop.

What is taken from below kazoo's public interface, since it does not tell:
- `ConnectionHandler._connect`, wrapped to learn the granted session timeout and when the connect request was sent,
  after authentication is through; and to pause where a server takes connections only to drop them, which for kazoo is
  success each time.
- `ConnectionHandler._read_response`, wrapped to learn that the server has closed the session.
- `EXCEPTIONS`, the errors by code, of which an unknown one would end kazoo's thread.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from kazoo.client import KazooClient
from kazoo.exceptions import (
    EXCEPTIONS,
    ConnectionClosedError,
    ConnectionLoss,
    KazooException,
    RolledBackError,
    RuntimeInconsistency,
    SessionExpiredError,
    ZookeeperError,
)
from kazoo.handlers.threading import SequentialThreadingHandler
from kazoo.protocol.connection import CLOSE_RESPONSE
from kazoo.protocol.states import KazooState
from kazoo.security import ACL
from kazoo.security import Id as KazooId

from ottla.clock import Clock
from ottla.coordination import errors
from ottla.coordination.acl import Acl
from ottla.coordination.mailbox import Mailbox
from ottla.coordination.session import CheckOp, CreateOp, DeleteOp, EventType, Op, SetOp
from ottla.coordination.session_file import SessionIdentity

_RECONNECT = {"max_tries": -1, "delay": 0.02, "backoff": 2, "max_jitter": 0.2, "max_delay": 1.0}
_LOWEST_CODE = -255
# A connection that was dropped sooner than this is followed by a pause, each time a longer one.
_STEADY_SECONDS = 5.0
_PAUSE_SECONDS = 0.05
_PAUSE_SECONDS_MAX = 1.0
_EVENT_TYPES = {
    "CREATED": EventType.CREATED,
    "DELETED": EventType.DELETED,
    "CHANGED": EventType.CHANGED,
    "CHILD": EventType.CHILD,
}

# The state of the connection is ours to log; kazoo's own lines come at every attempt.
_log = logging.getLogger("ottla.coordination.kazoo")
_log.setLevel(logging.ERROR)


class Connected(NamedTuple):
    identity: SessionIdentity
    timeout_ms: int
    sent_at: float


class LinkEvents(Protocol):
    """Told on the event loop."""

    def link_connected(self, link: "KazooLink", connected: Connected) -> None: ...

    def link_suspended(self, link: "KazooLink") -> None: ...

    def link_lost(self, link: "KazooLink") -> None: ...


class LinkOptions(NamedTuple):
    hosts: str
    timeout_ms: int
    digest: str | None = None  # user:password


class KazooLink:
    def __init__(
        self,
        options: LinkOptions,
        identity: SessionIdentity | None,
        clock: Clock,
        mailbox: Mailbox,
        events: LinkEvents,
    ) -> None:
        self._clock = clock
        self._mailbox = mailbox
        self._events = events
        self._stop_lock = threading.Lock()
        self._client = KazooClient(
            hosts=options.hosts,
            timeout=options.timeout_ms / 1000,
            client_id=identity,
            handler=_InlineHandler(options),
            auth_data=[("digest", options.digest)] if options.digest else None,
            connection_retry=_RECONNECT,
            logger=_log,
        )
        self._client.add_listener(self._state_changed)
        self._kazoo_connect = self._client._connection._connect
        self._client._connection._connect = self._connect
        self._kazoo_read_response = self._client._connection._read_response
        self._client._connection._read_response = self._read_response
        self._pause_seconds_max = min(_PAUSE_SECONDS_MAX, options.timeout_ms / 8000)
        self._connected_at: float | None = None
        self._drops = 0
        self._stopping = threading.Event()
        self.session_closed = False  # the server said so

    def start(self) -> None:
        self._client.start_async()

    def stop(self) -> None:
        """Close the session if it can be reached, and end the thread. Blocks; for any thread, any number of times."""
        self._stopping.set()
        with self._stop_lock:
            try:
                self._client.stop()
                self._client.close()
            except (KazooException, OSError) as error:
                _log.debug("stop: %s", error)

    def get(self, path: str, watch: Callable[[EventType], None] | None, done: "Done") -> None:
        self._link(self._client.get_async(path, self._watch(watch)), done)

    def exists(self, path: str, watch: Callable[[EventType], None] | None, done: "Done") -> None:
        self._link(self._client.exists_async(path, self._watch(watch)), done)

    def children(self, path: str, watch: Callable[[EventType], None] | None, done: "Done") -> None:
        self._link(self._client.get_children_async(path, self._watch(watch)), done)

    def get_acl(self, path: str, done: "Done") -> None:
        self._link(self._client.get_acls_async(path), done)

    def create(self, op: CreateOp, done: "Done") -> None:
        result = self._client.create_async(
            op.path,
            op.data,
            acl=_acl(op.acl or ()),
            ephemeral=op.ephemeral,
            sequence=op.sequence,
            include_data=True,
        )
        self._link(result, done)

    def set(self, op: SetOp, done: "Done") -> None:
        self._link(self._client.set_async(op.path, op.data, op.version), done)

    def delete(self, op: DeleteOp, done: "Done") -> None:
        self._link(self._client.delete_async(op.path, op.version), done)

    def sync(self, path: str, done: "Done") -> None:
        self._link(self._client.sync_async(path), done)

    def multi(self, ops: Sequence[Op], done: "Done") -> None:
        transaction = self._client.transaction()
        for op in ops:
            _add(transaction, op)
        self._link(transaction.commit_async(), done)

    def _link(self, result: Any, done: "Done") -> None:
        """Have the answer brought to the loop. kazoo calls back in its own thread, or at once when it is closed."""
        result.rawlink(lambda answered: self._mailbox.post(done, answered.value, answered.exception))

    def _watch(self, watch: Callable[[EventType], None] | None) -> Callable[[Any], None] | None:
        if watch is None:
            return None
        return lambda event: self._mailbox.post(watch, _EVENT_TYPES.get(event.type, EventType.NONE))

    def _connect(self, host: str, address: str, port: int) -> tuple[float, float]:
        """Runs in kazoo's thread, once per attempt."""
        self._pause_after_drops()
        sent_at = self._clock.monotonic()
        read_timeout_ms, connect_timeout_ms = self._kazoo_connect(host, address, port)
        self._connected_at = self._clock.monotonic()
        client = self._client
        connected = Connected(
            SessionIdentity(client._session_id, client._session_passwd),
            round(read_timeout_ms * 3 / 2),  # kazoo reads for two thirds of what was granted
            sent_at,
        )
        self._mailbox.post(self._events.link_connected, self, connected)
        return read_timeout_ms, connect_timeout_ms

    def _pause_after_drops(self) -> None:
        if self._connected_at is None:
            return  # between attempts that fail kazoo pauses itself
        steady = self._clock.monotonic() - self._connected_at >= _STEADY_SECONDS
        self._connected_at = None
        self._drops = 0 if steady else min(self._drops + 1, 10)
        if self._drops > 1:
            self._stopping.wait(min(_PAUSE_SECONDS * 2**self._drops, self._pause_seconds_max))

    def _read_response(self, header: Any, buffer: bytes, offset: int) -> Any:
        response = self._kazoo_read_response(header, buffer, offset)
        if response == CLOSE_RESPONSE and not header.err:
            self.session_closed = True
        return response

    def _state_changed(self, state: str) -> None:
        """Runs in kazoo's thread. CONNECTED is told by `_connect`, when authentication is done."""
        if state == KazooState.SUSPENDED:
            self._mailbox.post(self._events.link_suspended, self)
        elif state == KazooState.LOST:
            self._mailbox.post(self._events.link_lost, self)


Done = Callable[[Any, Exception | None], None]


class _InlineHandler(SequentialThreadingHandler):  # type: ignore[misc]
    """kazoo's handler without worker threads: callbacks run in the thread that has them."""

    running = False

    def __init__(self, options: LinkOptions) -> None:
        super().__init__()
        servers = options.hosts.count(",") + 1
        # A server that swallows packets must not use up the whole session before the next one is tried.
        self._connect_timeout_s = max(0.5, options.timeout_ms / 2000 / servers)

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass

    def dispatch_callback(self, callback: Any) -> None:
        callback.func(*callback.args)

    def create_connection(self, *args: Any, **options: Any) -> Any:
        options["timeout"] = min(options["timeout"], self._connect_timeout_s)
        return super().create_connection(*args, **options)


def _acl(acl: Iterable[Acl]) -> list[Any]:
    return [ACL(entry.permissions, KazooId(entry.id.scheme, entry.id.id)) for entry in acl]


def _add(transaction: Any, op: Op) -> None:
    match op:
        case CreateOp():
            transaction.create(op.path, op.data, _acl(op.acl or ()), op.ephemeral, op.sequence)
        case SetOp():
            transaction.set_data(op.path, op.data, op.version)
        case DeleteOp():
            transaction.delete(op.path, op.version)
        case CheckOp():
            transaction.check(op.path, op.version)


def translate(error: Exception, path: str) -> Exception:
    """kazoo's exception as ours. What is not kazoo's passes through: it is a bug."""
    if isinstance(error, SessionExpiredError):
        return errors.SessionExpiredError(f"session expired during a request for {path}")
    if isinstance(error, (ConnectionLoss, ConnectionClosedError)):
        return errors.ConnectionLossError(f"connection lost during a request for {path}")
    code = getattr(error, "code", 0)
    known = errors.ERRORS_BY_CODE.get(code)
    if known is not None:
        return known(path)
    return errors.UnexpectedRefusalError(path, code) if isinstance(error, KazooException) else error


def first_failure(results: Sequence[Any]) -> tuple[int, Exception] | None:
    """Which operation of a multi was refused, and why. The others only say that they were not done either."""
    for index, result in enumerate(results):
        if isinstance(result, Exception) and not isinstance(result, (RolledBackError, RuntimeInconsistency)):
            return index, result
    return next(((index, result) for index, result in enumerate(results) if isinstance(result, Exception)), None)


def _know_all_codes() -> None:
    """Servers of later versions have errors that kazoo does not know: each gets a class, as the known ones have."""
    for code in range(_LOWEST_CODE, 0):
        if code not in EXCEPTIONS:
            EXCEPTIONS[code] = type("UnknownZookeeperError", (ZookeeperError,), {"code": code})


_know_all_codes()
