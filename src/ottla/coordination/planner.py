"""The rules by which an operation on the tree is allowed: one function per kind of operation.

The checks come in ZooKeeper's own order, since the order decides which error a caller sees. A multi is planned against
an overlay of what its earlier operations would change, and nothing touches the tree before the last one has passed.
"""

from typing import TYPE_CHECKING

from ottla.coordination.acl import ADMIN, CREATE, DELETE, READ, WRITE, Caller, permits, resolve_acl
from ottla.coordination.errors import (
    BadArgumentsError,
    BadVersionError,
    NoAuthError,
    NoChildrenForEphemeralsError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    QuotaExceededError,
    RuntimeInconsistencyError,
    ZooKeeperError,
)
from ottla.coordination.operations import (
    ANY_VERSION,
    CONTAINER_OWNER,
    NO_TTL,
    TTL_MS_MAX,
    Check,
    CheckTxn,
    Create,
    CreateMode,
    CreateTxn,
    Delete,
    DeleteContainer,
    DeleteTxn,
    Multi,
    MultiTxn,
    Operation,
    SetAcl,
    SetAclTxn,
    SetData,
    SetDataTxn,
    SingleOperation,
    SingleTxn,
    TreeTxn,
    is_session_owner,
    ttl_owner,
)
from ottla.coordination.stat import int32, next_version
from ottla.coordination.znode import SYSTEM_PATHS, Node
from ottla.coordination.znode_path import check_path, parent_path

if TYPE_CHECKING:
    from ottla.coordination.tree import ZnodeTree


class MultiFailedError(ZooKeeperError):
    """One operation of a multi was refused, so none was done. `codes` has one error code per operation."""

    def __init__(self, cause: ZooKeeperError, index: int, count: int) -> None:
        super().__init__(cause.path)
        self.cause = cause
        self.index = index
        self.codes = [0] * index + [cause.code] + [RuntimeInconsistencyError.code] * (count - index - 1)


def plan(tree: "ZnodeTree", operation: Operation, caller: Caller) -> TreeTxn:
    planner = Planner(tree, caller)
    if isinstance(operation, Multi):
        return planner.plan_multi(operation)
    return planner.plan_single(operation)


class Planner:
    """The tree as it would be after the operations planned so far."""

    __slots__ = ("_bytes_added", "_caller", "_children_counts", "_nodes", "_nodes_added", "_tree")

    def __init__(self, tree: "ZnodeTree", caller: Caller) -> None:
        self._tree = tree
        self._caller = caller
        self._nodes: dict[str, Node | None] = {}
        self._children_counts: dict[str, int] = {}
        self._nodes_added = 0
        self._bytes_added = 0

    def plan_multi(self, multi: Multi) -> MultiTxn:
        txns: list[SingleTxn] = []
        for index, operation in enumerate(multi.operations):
            try:
                txns.append(self.plan_single(operation))
            except ZooKeeperError as error:
                raise MultiFailedError(error, index, len(multi.operations)) from error
        return MultiTxn(tuple(txns))

    def plan_single(self, operation: SingleOperation) -> SingleTxn:
        match operation:
            case Create():
                return self._plan_create(operation)
            case Delete():
                return self._plan_delete(operation)
            case DeleteContainer():
                return self._plan_delete_container(operation)
            case SetData():
                return self._plan_set_data(operation)
            case SetAcl():
                return self._plan_set_acl(operation)
            case Check():
                return self._plan_check(operation)

    # One rule per operation

    def _plan_create(self, create: Create) -> CreateTxn:
        _check_ttl(create)
        _check_has_parent(create.path)
        acl = resolve_acl(create.path, create.acl, self._caller.identities)
        parent_name = parent_path(create.path)
        parent = self._node(parent_name)
        self._check_permission(parent, CREATE, create.path)
        path = f"{create.path}{parent.creations:010d}" if create.mode.is_sequential else create.path
        check_path(path)
        if self._find(path) is not None:
            raise NodeExistsError(path)
        if is_session_owner(parent.ephemeral_owner):
            raise NoChildrenForEphemeralsError(path)
        txn = CreateTxn(path, create.data, acl, self._owner(create), int32(parent.creations + 1))
        self._grow(path, 1, len(path) + len(create.data or b""))
        self._nodes[parent_name] = parent._replace(creations=txn.parent_creations)
        self._nodes[path] = Node(create.data, acl, ephemeral_owner=txn.ephemeral_owner)
        self._add_child(parent_name, 1)
        return txn

    def _plan_delete(self, delete: Delete) -> DeleteTxn:
        _check_deletable(delete.path)
        parent = self._node(parent_path(delete.path))
        self._check_permission(parent, DELETE, delete.path)
        node = self._node(delete.path)
        _check_version(node.version, delete.version, delete.path)
        return self._remove(delete.path)

    def _plan_delete_container(self, delete: DeleteContainer) -> DeleteTxn:
        _check_deletable(delete.path)
        if is_session_owner(self._node(delete.path).ephemeral_owner):
            raise BadVersionError(delete.path)
        return self._remove(delete.path)

    def _remove(self, path: str) -> DeleteTxn:
        if self._children_count(path):
            raise NotEmptyError(path)
        self._nodes_added -= 1
        self._bytes_added -= len(path) + self._node(path).data_length
        self._nodes[path] = None
        self._add_child(parent_path(path), -1)
        return DeleteTxn(path)

    def _plan_set_data(self, change: SetData) -> SetDataTxn:
        check_path(change.path)
        node = self._node(change.path)
        self._check_permission(node, WRITE, change.path)
        _check_version(node.version, change.version, change.path)
        self._grow(change.path, 0, len(change.data or b"") - node.data_length)
        txn = SetDataTxn(change.path, change.data, next_version(node.version))
        self._nodes[change.path] = node._replace(version=txn.version, data=change.data)
        return txn

    def _plan_set_acl(self, change: SetAcl) -> SetAclTxn:
        check_path(change.path)
        acl = resolve_acl(change.path, change.acl, self._caller.identities)
        node = self._node(change.path)
        self._check_permission(node, ADMIN, change.path)
        _check_version(node.aversion, change.version, change.path)
        txn = SetAclTxn(change.path, acl, next_version(node.aversion))
        self._nodes[change.path] = node._replace(acl=acl, aversion=txn.version)
        return txn

    def _plan_check(self, check: Check) -> CheckTxn:
        check_path(check.path)
        node = self._node(check.path)
        self._check_permission(node, READ, check.path)
        _check_version(node.version, check.version, check.path)
        return CheckTxn(check.path)

    # The overlay

    def _find(self, path: str) -> Node | None:
        return self._nodes[path] if path in self._nodes else self._tree.nodes.get(path)

    def _node(self, path: str) -> Node:
        found = self._find(path)
        if found is None:
            raise NoNodeError(path)
        return found

    def _children_count(self, path: str) -> int:
        if path in self._children_counts:
            return self._children_counts[path]
        return len(self._tree.children.get(path, ()))

    def _add_child(self, parent_name: str, count: int) -> None:
        self._children_counts[parent_name] = self._children_count(parent_name) + count

    def _grow(self, path: str, nodes: int, size: int) -> None:
        """Refuse what would take the tree over its bounds. Making it smaller is always allowed."""
        self._nodes_added += nodes
        self._bytes_added += size
        too_many = nodes > 0 and len(self._tree.nodes) + self._nodes_added > self._tree.nodes_max
        too_large = size > 0 and self._tree.bytes_held + self._bytes_added > self._tree.bytes_max
        if too_many or too_large:
            raise QuotaExceededError(path)

    def _check_permission(self, node: Node, permission: int, path: str) -> None:
        if not permits(node.acl, permission, self._caller.identities):
            raise NoAuthError(path)

    def _owner(self, create: Create) -> int:
        if create.mode == CreateMode.CONTAINER:
            return CONTAINER_OWNER
        if create.mode.has_ttl:
            return ttl_owner(create.ttl_ms)
        return self._caller.session_id if create.mode.is_ephemeral else 0


def _check_ttl(create: Create) -> None:
    shortest, longest = (1, TTL_MS_MAX) if create.mode.has_ttl else (NO_TTL, NO_TTL)
    if not shortest <= create.ttl_ms <= longest:
        raise BadArgumentsError(create.path)


def _check_has_parent(path: str) -> None:
    if "/" not in path or "\0" in path:
        raise BadArgumentsError(path)


def _check_deletable(path: str) -> None:
    _check_has_parent(path)
    if path in SYSTEM_PATHS:
        raise BadArgumentsError(path)


def _check_version(current: int, expected: int, path: str) -> None:
    if expected not in (ANY_VERSION, current):
        raise BadVersionError(path)
