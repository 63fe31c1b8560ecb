"""The changes that a tree of znodes knows, in two forms.

An *operation* is what a caller asks for; it may be refused. A *transaction* is what was decided: the full path of a
sequential node, the versions after the change, the ACL with `auth` expanded. Transactions are what the log holds, and
applying the same ones in the same order always gives the same tree.
"""

from enum import IntEnum
from typing import NamedTuple

from ottla.coordination.acl import Acl, AclList
from ottla.coordination.stat import Stat

ANY_VERSION = -1
NO_TTL = -1

CONTAINER_OWNER = -(1 << 63)
_TTL_OWNER_MASK = 0xFF << 56
TTL_MS_MAX = (1 << 40) - 1


class CreateMode(IntEnum):
    """The flags of a create request."""

    PERSISTENT = 0
    EPHEMERAL = 1
    PERSISTENT_SEQUENTIAL = 2
    EPHEMERAL_SEQUENTIAL = 3
    CONTAINER = 4
    PERSISTENT_WITH_TTL = 5
    PERSISTENT_SEQUENTIAL_WITH_TTL = 6

    @property
    def is_ephemeral(self) -> bool:
        return self in (CreateMode.EPHEMERAL, CreateMode.EPHEMERAL_SEQUENTIAL)

    @property
    def is_sequential(self) -> bool:
        return self in (
            CreateMode.PERSISTENT_SEQUENTIAL,
            CreateMode.EPHEMERAL_SEQUENTIAL,
            CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL,
        )

    @property
    def has_ttl(self) -> bool:
        return self >= CreateMode.PERSISTENT_WITH_TTL


def ttl_owner(ttl_ms: int) -> int:
    """The ephemeralOwner that marks a TTL node: 0xff in the top byte, the milliseconds in the lowest five."""
    return (_TTL_OWNER_MASK | ttl_ms) - (1 << 64)


def ttl_of_owner(owner: int) -> int | None:
    """The TTL in an ephemeralOwner, None when it is no TTL node's."""
    if owner >= 0 or (owner >> 56) & 0xFF != 0xFF:
        return None
    return owner & TTL_MS_MAX


def is_session_owner(owner: int) -> bool:
    """Whether a node with this ephemeralOwner goes away with a session."""
    return owner not in (0, CONTAINER_OWNER) and ttl_of_owner(owner) is None


# Operations


class Create(NamedTuple):
    path: str
    data: bytes | None
    acl: tuple[Acl, ...]
    mode: CreateMode = CreateMode.PERSISTENT
    ttl_ms: int = NO_TTL


class Delete(NamedTuple):
    path: str
    version: int = ANY_VERSION


class DeleteContainer(NamedTuple):
    """The server's own removal of an empty container or an expired TTL node. Asks for no permission."""

    path: str


class SetData(NamedTuple):
    path: str
    data: bytes | None
    version: int = ANY_VERSION


class SetAcl(NamedTuple):
    path: str
    acl: tuple[Acl, ...]
    version: int = ANY_VERSION


class Check(NamedTuple):
    path: str
    version: int = ANY_VERSION


class Multi(NamedTuple):
    operations: "tuple[SingleOperation, ...]"


SingleOperation = Create | Delete | DeleteContainer | SetData | SetAcl | Check
Operation = SingleOperation | Multi


# Transactions


class CreateTxn(NamedTuple):
    path: str
    data: bytes | None
    acl: AclList
    ephemeral_owner: int
    parent_creations: int


class DeleteTxn(NamedTuple):
    path: str


class SetDataTxn(NamedTuple):
    path: str
    data: bytes | None
    version: int


class SetAclTxn(NamedTuple):
    path: str
    acl: AclList
    version: int


class CheckTxn(NamedTuple):
    path: str


class MultiTxn(NamedTuple):
    txns: "tuple[SingleTxn, ...]"


class CreateSessionTxn(NamedTuple):
    timeout_ms: int
    password: bytes


class CloseSessionTxn(NamedTuple):
    """The end of the session that the transaction's header names, and of its ephemeral nodes."""


SingleTxn = CreateTxn | DeleteTxn | SetDataTxn | SetAclTxn | CheckTxn
TreeTxn = SingleTxn | MultiTxn | CloseSessionTxn
Txn = TreeTxn | CreateSessionTxn


# Results


class Created(NamedTuple):
    path: str
    stat: Stat


SingleResult = Created | Stat | None
Result = SingleResult | list[SingleResult]


class EventType(IntEnum):
    """What a watch reports."""

    NODE_CREATED = 1
    NODE_DELETED = 2
    NODE_DATA_CHANGED = 3
    NODE_CHILDREN_CHANGED = 4


class Change(NamedTuple):
    """One thing that happened to the tree, with the ACL of the node at that time: who may not read is not told."""

    type: EventType
    path: str
    acl: AclList


class Applied(NamedTuple):
    result: Result
    changes: list[Change]
