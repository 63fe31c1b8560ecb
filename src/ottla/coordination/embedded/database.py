"""Everything that the log rebuilds: the tree, the sessions and the last zxid. Pure.

Applying the same transactions in the same order always gives the same database; a `DatabaseView` is a copy that later
transactions do not touch, taken at the price of copying two dictionaries.
"""

from typing import NamedTuple

from ottla.coordination.embedded.txn_codec import LoggedTxn
from ottla.coordination.operations import Applied, CloseSessionTxn, CreateSessionTxn
from ottla.coordination.tree import ZnodeTree
from ottla.coordination.znode import Node


class SessionRecord(NamedTuple):
    timeout_ms: int
    password: bytes


class DatabaseView(NamedTuple):
    zxid: int
    nodes: dict[str, Node]
    sessions: dict[int, SessionRecord]


class Database:
    def __init__(self, view: DatabaseView | None = None, *, nodes_max: int = 1 << 20, bytes_max: int = 1 << 28) -> None:
        self.last_zxid = view.zxid if view else 0
        self.sessions: dict[int, SessionRecord] = dict(view.sessions) if view else {}
        self.tree = ZnodeTree(view.nodes if view else None, nodes_max=nodes_max, bytes_max=bytes_max)

    def apply(self, logged: LoggedTxn) -> Applied:
        assert logged.zxid == self.last_zxid + 1, "transactions are applied in order, without gaps"
        applied = self._apply(logged)
        self.last_zxid = logged.zxid
        return applied

    def _apply(self, logged: LoggedTxn) -> Applied:
        if isinstance(logged.txn, CreateSessionTxn):
            self.sessions[logged.session_id] = SessionRecord(*logged.txn)
            return Applied(None, [])
        if isinstance(logged.txn, CloseSessionTxn):
            self.sessions.pop(logged.session_id, None)
        return self.tree.apply(logged.txn, logged.session_id, logged.zxid, logged.time_ms)

    def view(self) -> DatabaseView:
        return DatabaseView(self.last_zxid, self.tree.nodes.copy(), self.sessions.copy())
