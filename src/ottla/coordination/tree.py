"""The tree of znodes: pure state, no clock and no I/O.

`plan` decides (an operation and its caller in, a transaction or a ZooKeeper error out), `apply` changes (a transaction
in, its result and the changes that watches report out) and never refuses. Whoever drives the tree writes the
transaction to its log in between. zxid and time come from outside, so that replaying a log gives the same tree.

Invariants (`check_invariants`)
- Every node except `/` has its parent in the tree, and `children` says the same as the paths do.
- A node that belongs to a session has no children and is listed in `ephemerals` under that session.
- A `Node` is never changed, only replaced: a copy of the dictionary `nodes` is a consistent snapshot.

The number of a sequential node is how many children its parent was ever given; the `cversion` that clients see counts
deletions too, and is derived: each creation counts twice, less one for each child that is still there.
"""

from ottla.coordination.acl import READ, Caller, permits
from ottla.coordination.errors import NoAuthError, NoNodeError
from ottla.coordination.operations import (
    CONTAINER_OWNER,
    Applied,
    Change,
    CheckTxn,
    CloseSessionTxn,
    Created,
    CreateTxn,
    DeleteTxn,
    EventType,
    MultiTxn,
    Operation,
    SetAclTxn,
    SetDataTxn,
    SingleResult,
    SingleTxn,
    TreeTxn,
    is_session_owner,
    ttl_of_owner,
)
from ottla.coordination.planner import plan
from ottla.coordination.stat import Stat, int32
from ottla.coordination.znode import Node, system_nodes
from ottla.coordination.znode_path import node_name, parent_path


class ZnodeTree:
    """What ZooKeeper remembers about znodes."""

    def __init__(self, nodes: dict[str, Node] | None = None, *, nodes_max: int = 1 << 20, bytes_max: int = 1 << 28):
        self.nodes: dict[str, Node] = system_nodes() if nodes is None else nodes
        self.nodes_max = nodes_max
        self.bytes_max = bytes_max
        self.bytes_held = 0
        self.children: dict[str, dict[str, None]] = {path: {} for path in self.nodes}
        self.ephemerals: dict[int, dict[str, None]] = {}
        self.expirables: dict[str, None] = {}
        for path, node in self.nodes.items():
            self._link(path, node)

    # Decisions

    def plan(self, operation: Operation, caller: Caller) -> TreeTxn:
        """The transaction for an operation, or a ZooKeeperError saying why there is none."""
        return plan(self, operation, caller)

    def execute(self, operation: Operation, caller: Caller, zxid: int, time_ms: int) -> Applied:
        """`plan` and `apply` in one step, for drivers without a log."""
        return self.apply(self.plan(operation, caller), caller.session_id, zxid, time_ms)

    # Changes

    def apply(self, txn: TreeTxn, session_id: int, zxid: int, time_ms: int) -> Applied:
        changes: list[Change] = []
        if isinstance(txn, MultiTxn):
            results = [self._apply_single(single, zxid, time_ms, changes) for single in txn.txns]
            return Applied(results, changes)
        if isinstance(txn, CloseSessionTxn):
            for path in self.ephemerals.pop(session_id, {}):
                self._delete(path, zxid, changes)
            return Applied(None, changes)
        return Applied(self._apply_single(txn, zxid, time_ms, changes), changes)

    def _apply_single(self, txn: SingleTxn, zxid: int, time_ms: int, changes: list[Change]) -> SingleResult:
        match txn:
            case CreateTxn():
                return self._create(txn, zxid, time_ms, changes)
            case DeleteTxn(path):
                self._delete(path, zxid, changes)
                return None
            case SetDataTxn():
                return self._set_data(txn, zxid, time_ms, changes)
            case SetAclTxn(path, acl, version):
                self.nodes[path] = self.nodes[path]._replace(acl=acl, aversion=version)
                return self.stat(path)
            case CheckTxn():
                return None

    def _create(self, txn: CreateTxn, zxid: int, time_ms: int, changes: list[Change]) -> Created:
        parent_name = parent_path(txn.path)
        parent = self.nodes[parent_name]
        node = Node(
            data=txn.data,
            acl=txn.acl,
            czxid=zxid,
            mzxid=zxid,
            ctime=time_ms,
            mtime=time_ms,
            ephemeral_owner=txn.ephemeral_owner,
            pzxid=zxid,
        )
        self.nodes[parent_name] = parent._replace(creations=txn.parent_creations, pzxid=zxid)
        self.nodes[txn.path] = node
        self.children[txn.path] = {}
        self._link(txn.path, node)
        changes.append(Change(EventType.NODE_CREATED, txn.path, txn.acl))
        changes.append(Change(EventType.NODE_CHILDREN_CHANGED, parent_name, parent.acl))
        return Created(txn.path, self.stat(txn.path))

    def _delete(self, path: str, zxid: int, changes: list[Change]) -> None:
        node = self.nodes.pop(path)
        parent_name = parent_path(path)
        parent = self.nodes[parent_name]
        self.nodes[parent_name] = parent._replace(pzxid=zxid)
        del self.children[path]
        self._unlink(path, node)
        changes.append(Change(EventType.NODE_DELETED, path, node.acl))
        changes.append(Change(EventType.NODE_CHILDREN_CHANGED, parent_name, parent.acl))

    def _set_data(self, txn: SetDataTxn, zxid: int, time_ms: int, changes: list[Change]) -> Stat:
        before = self.nodes[txn.path]
        after = before._replace(data=txn.data, version=txn.version, mzxid=zxid, mtime=time_ms)
        self.nodes[txn.path] = after
        self.bytes_held += after.data_length - before.data_length
        changes.append(Change(EventType.NODE_DATA_CHANGED, txn.path, after.acl))
        return self.stat(txn.path)

    def _link(self, path: str, node: Node) -> None:
        """Enter a node that is in `nodes` into everything that is derived from it."""
        self.bytes_held += len(path) + node.data_length
        if path != "/":
            self.children[parent_path(path)][node_name(path)] = None
        owner = node.ephemeral_owner
        if is_session_owner(owner):
            self.ephemerals.setdefault(owner, {})[path] = None
        elif owner:
            self.expirables[path] = None

    def _unlink(self, path: str, node: Node) -> None:
        self.bytes_held -= len(path) + node.data_length
        del self.children[parent_path(path)][node_name(path)]
        self.expirables.pop(path, None)
        owned = self.ephemerals.get(node.ephemeral_owner)
        if owned is not None:
            owned.pop(path, None)
            if not owned:
                del self.ephemerals[node.ephemeral_owner]

    # Reads

    def node(self, path: str) -> Node:
        found = self.nodes.get(path)
        if found is None:
            raise NoNodeError(path)
        return found

    def readable_node(self, path: str, caller: Caller, permission: int = READ) -> Node:
        """The node, if the caller may read it."""
        found = self.node(path)
        if not permits(found.acl, permission, caller.identities):
            raise NoAuthError(path)
        return found

    def stat(self, path: str) -> Stat:
        node = self.node(path)
        children_count = len(self.children[path])
        return Stat(
            czxid=node.czxid,
            mzxid=node.mzxid,
            ctime=node.ctime,
            mtime=node.mtime,
            version=node.version,
            cversion=int32(node.creations * 2 - children_count),
            aversion=node.aversion,
            ephemeral_owner=node.ephemeral_owner if is_session_owner(node.ephemeral_owner) else 0,
            data_length=node.data_length,
            num_children=children_count,
            pzxid=node.pzxid,
        )

    def expired_nodes(self, now_ms: int) -> list[str]:
        """Containers whose children are all gone again, and TTL nodes past their time, that nothing lives under."""
        return [path for path in self.expirables if not self.children[path] and self._has_expired(path, now_ms)]

    def _has_expired(self, path: str, now_ms: int) -> bool:
        node = self.nodes[path]
        if node.ephemeral_owner == CONTAINER_OWNER:
            return node.creations > 0
        ttl_ms = ttl_of_owner(node.ephemeral_owner)
        return ttl_ms is not None and now_ms - node.mtime > ttl_ms

    def check_invariants(self) -> None:
        """Raise AssertionError unless what the module's docstring promises holds."""
        rebuilt = ZnodeTree(dict(self.nodes))
        assert {path: set(names) for path, names in rebuilt.children.items()} == {
            path: set(names) for path, names in self.children.items()
        }
        assert rebuilt.ephemerals.keys() == self.ephemerals.keys()
        assert rebuilt.bytes_held == self.bytes_held
        assert rebuilt.expirables.keys() == self.expirables.keys()
        for session_id, paths in self.ephemerals.items():
            assert paths.keys() == rebuilt.ephemerals[session_id].keys()
            assert not any(self.children[path] for path in paths)
