"""A session with ZooKeeper, as the broker sees it. Implementations: `kazoo_session`; `ottla.testing` for tests.

    CONNECTING ──► CONNECTED ◄──► SUSPENDED
                       │              │            the connection is away; the session may still be alive
                       └──────┬───────┘
                              ▼
                           EXPIRED ──► CONNECTED   a new session: other id, no ephemeral nodes, no watches
    any ──► CLOSED

Rules that both implementations keep, and `tests/coordination/test_session.py` checks on each:
- Everything happens on one event loop: results, watches and state events arrive there, in the order in which the
  server sent them (the news of a change comes before the changed data can be read).
- Requests are sent when they are called, not when they are awaited, and are answered in order.
- Reads survive a lost connection: they are asked again, a few times. A write in flight when the connection goes raises
  ConnectionLossError, since nobody knows whether it was executed. What is asked while SUSPENDED waits for the
  connection, but never longer than the lease: then it raises SessionExpiredError.
- A write that does not fit into one request of ZooKeeper's raises RequestTooLargeError and is not sent.
- A watch fires once. When the connection goes it fires with `EventType.NONE`: look again. On expiry watches die.
- The lease (`lease`): the session is EXPIRED one negotiated timeout after the last answered request was sent.
"""

from collections.abc import Awaitable, Callable, Sequence
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol

from ottla.coordination.acl import Acl, AclList
from ottla.coordination.stat import Stat

ANY_VERSION = -1


class SessionState(Enum):
    CONNECTING = "connecting"
    CONNECTED = "connected"
    SUSPENDED = "suspended"
    EXPIRED = "expired"
    CLOSED = "closed"


class SessionEvent(Enum):
    """What subscribers are told."""

    CONNECTED = "connected"  # the first session is there
    SUSPENDED = "suspended"  # the connection is gone; what the lease covers goes on
    RESUMED = "resumed"  # connected again, the same session
    EXPIRED = "expired"  # the session is over: give up what was owned through it
    RENEWED = "renewed"  # connected with a new session: register again, read everything again


class EventType(IntEnum):
    """ZooKeeper's numbers for what happened to a watched node."""

    NONE = -1  # nothing is known to have happened, but the watch is gone
    CREATED = 1
    DELETED = 2
    CHANGED = 3
    CHILD = 4


class WatchEvent(NamedTuple):
    type: EventType
    path: str


Watch = Callable[[WatchEvent], None]
StateCallback = Callable[[SessionEvent], None]


class CreateOp(NamedTuple):
    path: str
    data: bytes = b""
    ephemeral: bool = False
    sequence: bool = False
    acl: tuple[Acl, ...] | None = None


class SetOp(NamedTuple):
    path: str
    data: bytes
    version: int = ANY_VERSION


class DeleteOp(NamedTuple):
    path: str
    version: int = ANY_VERSION


class CheckOp(NamedTuple):
    path: str
    version: int


Op = CreateOp | SetOp | DeleteOp | CheckOp
OpResult = str | Stat | None  # of create: the path; of set: the Stat; of delete and check: nothing


class Session(Protocol):
    @property
    def session_id(self) -> int:
        """Of the current session, as it stands in the `ephemeral_owner` of its nodes; 0 before there is one."""
        ...

    @property
    def state(self) -> SessionState: ...

    @property
    def timeout_ms(self) -> int:
        """The session timeout as the server granted it."""
        ...

    def lease_valid(self) -> bool:
        """True while the server cannot have given this session up. Cheap: asked before every acknowledgement."""
        ...

    def subscribe(self, callback: StateCallback) -> Callable[[], None]:
        """Be told of state changes; returns how to stop it."""
        ...

    async def start(self) -> None:
        """Connect; ConnectionLossError when no server answers within the connection timeout."""
        ...

    async def close(self) -> None:
        """End the session: its ephemeral nodes go at once."""
        ...

    def get(self, path: str, watch: Watch | None = None) -> Awaitable[tuple[bytes, Stat]]: ...

    def exists(self, path: str, watch: Watch | None = None) -> Awaitable[Stat | None]: ...

    def children(self, path: str, watch: Watch | None = None) -> Awaitable[list[str]]: ...

    def get_acl(self, path: str) -> Awaitable[tuple[AclList, Stat]]:
        """Who may do what. Whoever may not administer the node sees users without the hashes of their passwords."""
        ...

    def create(
        self,
        path: str,
        data: bytes = b"",
        *,
        ephemeral: bool = False,
        sequence: bool = False,
        acl: tuple[Acl, ...] | None = None,
        make_parents: bool = False,
    ) -> Awaitable[tuple[str, Stat]]: ...

    def set(self, path: str, data: bytes, version: int = ANY_VERSION) -> Awaitable[Stat]: ...

    def delete(self, path: str, version: int = ANY_VERSION) -> Awaitable[None]: ...

    def multi(self, ops: Sequence[Op]) -> Awaitable[list[OpResult]]:
        """All or nothing. Raises the error of the first operation that could not be done."""
        ...

    def sync(self, path: str) -> Awaitable[None]:
        """Later reads see everything that was written before this call, by anyone."""
        ...
