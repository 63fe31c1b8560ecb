"""A frame in, answers out: sessions, requests and watch events, without sockets and files.

Invariants
- A transaction is in the log before it is applied (`commit`); what it caused is sent with its zxid, and held back by
  the connection until that is durable.
- The events of a change are queued before the answer to the request that made it, for every client, so that nobody
  sees the change before he hears of it.
- Answers leave in the order of the requests.
"""

import logging
import os
from collections.abc import Callable
from functools import partial

from ottla.clock import Clock
from ottla.coordination.acl import READ, Caller, permits
from ottla.coordination.embedded import read_requests as reads
from ottla.coordination.embedded import watch_requests as watching
from ottla.coordination.embedded import write_requests as writes
from ottla.coordination.embedded.authentication import handle_auth
from ottla.coordination.embedded.client import Client
from ottla.coordination.embedded.database import Database
from ottla.coordination.embedded.handshake import (
    PASSWORD_BYTES,
    ConnectRequest,
    decode_connect_request,
    encode_connect_response,
    encode_refusal,
    first_session_id,
    is_password,
    negotiate_timeout,
)
from ottla.coordination.embedded.jute import Reader
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.embedded.replies import encode_event, encode_reply
from ottla.coordination.embedded.server_config import ServerConfig
from ottla.coordination.embedded.session_tracker import SessionTracker
from ottla.coordination.embedded.txn_codec import LoggedTxn
from ottla.coordination.errors import AuthFailedError, SystemFailureError, ZooKeeperError
from ottla.coordination.operations import Applied, Change, CloseSessionTxn, CreateSessionTxn, DeleteContainer, Txn
from ottla.coordination.watches import Watches
from ottla.errors.kafka import KafkaStorageError
from ottla.observability.logs import RateLimitedLogger

logger = logging.getLogger(__name__)

Handler = Callable[["RequestProcessor", Client, Reader], bytes]
RandomBytes = Callable[[int], bytes]


class RequestProcessor:
    def __init__(
        self,
        config: ServerConfig,
        clock: Clock,
        database: Database,
        append: Callable[[LoggedTxn], None],
        random_bytes: RandomBytes = os.urandom,
    ) -> None:
        self.config = config
        self.database = database
        self.watches: Watches[Client] = Watches()
        self.sessions = SessionTracker(clock)
        self._clients: dict[int, Client] = {}
        self._unconfirmed: dict[int, CreateSessionTxn] = {}
        self._clock = clock
        self._append = append
        self._random_bytes = random_bytes
        self._log = RateLimitedLogger(logger, clock)
        self._next_session_id = first_session_id(clock.wall_ms(), list(database.sessions))
        for session_id, session in database.sessions.items():
            self.sessions.track(session_id, session.timeout_ms)

    # Sessions

    def handle_connect(self, client: Client, payload: bytes) -> None:
        request = decode_connect_request(payload)
        if request.last_zxid_seen > self.database.last_zxid:
            client.close(f"it has seen zxid {request.last_zxid_seen:#x}, our last is {self.database.last_zxid:#x}")
            return
        timeout_ms = negotiate_timeout(request.timeout_ms, self.config.session_timeout_range_ms)
        if request.session_id == 0:
            self._open_session(client, request, timeout_ms)
        else:
            self._resume_session(client, request, timeout_ms)

    def _open_session(self, client: Client, request: ConnectRequest, timeout_ms: int) -> None:
        session_id, txn = self._next_session_id, CreateSessionTxn(timeout_ms, self._random_bytes(PASSWORD_BYTES))
        self._next_session_id += 1
        if client.is_authenticated:
            self.commit(txn, session_id)
        else:
            self._unconfirmed[session_id] = txn  # nothing is written for strangers
        self._attach(client, session_id, timeout_ms)
        client.send(encode_connect_response(request, timeout_ms, session_id, txn.password), self.database.last_zxid)

    def _resume_session(self, client: Client, request: ConnectRequest, timeout_ms: int) -> None:
        session = self.database.sessions.get(request.session_id)
        if session is None or not is_password(request.password, session.password):
            client.send(encode_refusal(request), self.database.last_zxid)
            client.close_after_sending()
            return
        previous = self._clients.get(request.session_id)
        if previous is not None:
            previous.close("its session went on by another connection")
        self._attach(client, request.session_id, timeout_ms)
        response = encode_connect_response(request, timeout_ms, request.session_id, session.password)
        client.send(response, self.database.last_zxid)

    def confirm_session(self, client: Client) -> None:
        """The client is one of ours: its session, if it is new, becomes a real one."""
        txn = self._unconfirmed.pop(client.session_id, None)
        if txn is not None:
            self.commit(txn, client.session_id)

    def _attach(self, client: Client, session_id: int, timeout_ms: int) -> None:
        client.session_id = session_id
        self._clients[session_id] = client
        self.sessions.track(session_id, timeout_ms)

    def handle_disconnect(self, client: Client) -> None:
        """The connection is gone; its session waits for the client to come back."""
        self.watches.remove_watcher(client)
        if self._clients.get(client.session_id) is client:
            del self._clients[client.session_id]

    def close_session(self, session_id: int) -> None:
        """End a session and its ephemeral nodes."""
        if session_id in self.database.sessions:
            self.commit(CloseSessionTxn(), session_id)
        self._unconfirmed.pop(session_id, None)
        self.sessions.forget(session_id)

    def expire_sessions(self, expected_at: float) -> None:
        for session_id in self.sessions.expired(expected_at):
            logger.info("Expiring session 0x%x, timeout exceeded", session_id)
            self.close_session(session_id)
            client = self._clients.get(session_id)
            if client is not None:
                client.close("its session expired")

    # Requests

    def handle_request(self, client: Client, payload: bytes) -> None:
        reader = Reader(payload)
        xid, kind = reader.integer(), reader.integer()
        self.sessions.touch(client.session_id)
        error, body = 0, b""
        try:
            if not client.is_authenticated and kind not in BEFORE_AUTHENTICATION:
                raise AuthFailedError
            body = HANDLERS.get(kind, writes.handle_unknown)(self, client, reader)
        except ZooKeeperError as refusal:
            error = refusal.code
        except KafkaStorageError as refusal:  # No room to write it: it was not done, and the client shall know that.
            self._log.error("no room", "No room to write a request: %s", refusal)
            error = SystemFailureError.code
        zxid = self.database.last_zxid
        client.send(encode_reply(xid, zxid, error, body), zxid)
        if kind == OpCode.CLOSE_SESSION or error == AuthFailedError.code:
            client.close_after_sending()

    def commit(self, txn: Txn, session_id: int) -> Applied:
        """Log and apply a transaction, and queue the events that it causes."""
        logged = LoggedTxn(self.database.last_zxid + 1, self._clock.wall_ms(), session_id, txn)
        self._append(logged)
        applied = self.database.apply(logged)
        for change in applied.changes:
            self._notify(change, logged.zxid)
        return applied

    def _notify(self, change: Change, zxid: int) -> None:
        watchers = self.watches.trigger(change)
        if watchers:
            event = encode_event(change.type, change.path)
            for watcher in watchers:
                if permits(change.acl, READ, watcher.identities):
                    watcher.send(event, zxid)

    def remove_expired_nodes(self) -> None:
        """Delete the containers and TTL nodes whose time is up."""
        tree = self.database.tree
        for path in tree.expired_nodes(self._clock.wall_ms()):
            self.commit(tree.plan(DeleteContainer(path), Caller(0, ())), 0)


def _handle_close_session(processor: RequestProcessor, client: Client, reader: Reader) -> bytes:
    processor.close_session(client.session_id)
    return b""


BEFORE_AUTHENTICATION = frozenset({OpCode.AUTH, OpCode.PING, OpCode.CLOSE_SESSION})

HANDLERS: dict[int, Handler] = {
    OpCode.AUTH: handle_auth,
    OpCode.PING: reads.handle_ping,
    OpCode.CLOSE_SESSION: _handle_close_session,
    OpCode.EXISTS: reads.handle_exists,
    OpCode.GET_DATA: reads.handle_get_data,
    OpCode.GET_CHILDREN: reads.handle_get_children,
    OpCode.GET_CHILDREN2: reads.handle_get_children2,
    OpCode.GET_ACL: reads.handle_get_acl,
    OpCode.SYNC: reads.handle_sync,
    OpCode.GET_ALL_CHILDREN_NUMBER: reads.handle_get_all_children_number,
    OpCode.GET_EPHEMERALS: reads.handle_get_ephemerals,
    OpCode.WHO_AM_I: reads.handle_who_am_i,
    OpCode.MULTI_READ: reads.handle_multi_read,
    OpCode.MULTI: writes.handle_multi,
    OpCode.RECONFIG: writes.handle_reconfig,
    OpCode.SET_WATCHES: watching.handle_set_watches,
    OpCode.SET_WATCHES2: watching.handle_set_watches2,
    OpCode.ADD_WATCH: watching.handle_add_watch,
    OpCode.CHECK_WATCHES: watching.handle_check_watches,
    OpCode.REMOVE_WATCHES: watching.handle_remove_watches,
    **{kind: partial(writes.handle_write, kind) for kind in writes.DECODERS},
}
