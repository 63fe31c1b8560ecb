"""The embedded server at the event loop: listener, connections, fsync rounds, snapshots, timers.

Start: lock the data directory, recover, listen. Stop: close the listener and the connections (sessions stay, their
clients come back), wait for the last fsync, write a snapshot if a replay would take noticeable time. A log that fails
stops the server at once, with nothing that waited answered.
"""

import asyncio
import errno
import logging
import socket
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ottla.clock import Clock, SystemClock
from ottla.coordination.embedded.connection import ClientConnection
from ottla.coordination.embedded.database import Database
from ottla.coordination.embedded.group_commit import GroupCommit
from ottla.coordination.embedded.processor import RequestProcessor
from ottla.coordination.embedded.server_config import ServerConfig
from ottla.coordination.embedded.snapshotting import Snapshots
from ottla.coordination.embedded.store import Contradiction, Store, nothing_known
from ottla.coordination.embedded.txn_codec import LoggedTxn
from ottla.disk.system_disk import SYSTEM_DISK, Disk
from ottla.errors import LogDirError, OperatorError
from ottla.errors.kafka import KafkaStorageError
from ottla.observability.logs import RateLimitedLogger
from ottla.transport.acceptor import Acceptor

logger = logging.getLogger(__name__)

PORTS_TRIED_MAX = 100
LISTEN_BACKLOG = 128
SWEEP_SECONDS_MIN = 0.02


class Statistics:
    """What the four-letter words show."""

    __slots__ = ("packets_received", "packets_sent")

    def __init__(self) -> None:
        self.packets_received = 0
        self.packets_sent = 0


class EmbeddedZooKeeper:
    """`await start()`, then clients connect to `host:port`; `failed` is done when the server had to give up."""

    database: Database
    processor: RequestProcessor
    failed: asyncio.Future[BaseException]

    def __init__(
        self,
        config: ServerConfig,
        clock: Clock | None = None,
        *,
        port_search: bool = False,
        disk: Disk = SYSTEM_DISK,
        on_failure: Callable[[BaseException], None] | None = None,
        contradiction: Contradiction | None = None,
    ) -> None:
        config.check()
        self.config = config
        self.statistics = Statistics()
        self.log = RateLimitedLogger(logger, clock)
        self.connections: dict[ClientConnection, None] = {}
        self.port = 0
        self._clock = clock or SystemClock()
        self._port_search = port_search
        self._on_failure = on_failure
        self._store = Store(
            config.data_dir,
            disk,
            snapshots_retained=config.snapshots_retained,
            contradiction=contradiction or nothing_known,
        )
        self._connections_per_host: Counter[str] = Counter()
        self._waiting: dict[ClientConnection, None] = {}
        self._sweep: asyncio.TimerHandle | None = None
        self._sweep_at = 0.0
        self._container_check: asyncio.TimerHandle | None = None
        self._acceptor: Acceptor | None = None
        self._arriving: set[asyncio.Task[object]] = set()

    @property
    def host(self) -> str:
        return self.config.client_port_address

    @property
    def durable_zxid(self) -> int:
        return self._commit.durable_zxid

    @property
    def outstanding(self) -> int:
        return sum(connection.outstanding for connection in self.connections)

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        self.failed = loop.create_future()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="zookeeper-sync")
        self._store.open()
        try:
            self._recover()
            self._acceptor = Acceptor(
                self._bind(), loop, self._clock, self.log, f"The ZooKeeper server on port {self.port}", self._accepted
            )
            self._acceptor.start()
        except BaseException:
            self._store.close()
            raise
        self._arm_sweep()
        self._arm_container_check()
        logger.info("ZooKeeper server on %s:%d, last zxid 0x%x", self.host, self.port, self.database.last_zxid)

    async def stop(self) -> None:
        """Close everything in order; idempotent."""
        self._close_listener_and_timers()
        self._close_connections("the server stops")
        await self._commit.wait_until_durable()
        await self._snapshots.stop(write_last=not self.failed.done())
        self._executor.shutdown(wait=False)  # it has nothing left to do
        self._store.close()

    def fail(self, error: BaseException) -> None:
        """The log can no longer be trusted: stop serving, answer nothing more."""
        if self.failed.done():
            return
        logger.critical("The ZooKeeper server stops serving, its log failed: %s", error)
        self.failed.set_result(error)
        self._close_listener_and_timers()
        self._close_connections("the log failed")
        if self._on_failure is not None:
            self._on_failure(error)

    def handle_unexpected(self, error: Exception) -> None:
        """The log failed, or we have a bug. A bug that kept a logged transaction from being applied is as bad."""
        if isinstance(error, LogDirError) or self._commit.written_zxid != self.database.last_zxid:
            self.fail(error)
        else:
            self.log.exception("unexpected", "Unexpected error: %s", error)

    # What connections call

    def admit(self, connection: ClientConnection) -> bool:
        self.connections[connection] = None
        self._connections_per_host[connection.host] += 1
        bound = self.config.max_client_connections
        return bound == 0 or self._connections_per_host[connection.host] <= bound

    def remove(self, connection: ClientConnection) -> None:
        self.connections.pop(connection, None)
        self._waiting.pop(connection, None)
        self._connections_per_host[connection.host] -= 1
        if not self._connections_per_host[connection.host]:
            del self._connections_per_host[connection.host]
        self.processor.handle_disconnect(connection)

    def wait_for_durable(self, connection: ClientConnection) -> None:
        self._waiting[connection] = None

    def session_opened(self) -> None:
        """There may be a session now that must be looked at before the sweep that is planned."""
        deadline = self.processor.sessions.next_deadline()
        if self._sweep is None or (deadline is not None and deadline < self._sweep_at):
            self._arm_sweep()

    # The log

    def _recover(self) -> None:
        self._store.remove_unfinished()
        self.database = self._store.recover(nodes_max=self.config.nodes_max, bytes_max=self.config.bytes_max)
        self._commit = GroupCommit(
            self._store.log,
            self._executor,
            durable_zxid=self.database.last_zxid,
            on_durable=self._release,
            on_failure=self.fail,
            force_sync=self.config.force_sync,
        )
        self._snapshots = Snapshots(self._store, self.database, self.config.snap_count, self.fail)
        self.processor = RequestProcessor(self.config, self._clock, self.database, self._append)

    def _append(self, logged: LoggedTxn) -> None:
        self._commit.append(logged)
        self._snapshots.count_transaction()

    def _release(self, durable_zxid: int) -> None:
        waiting, self._waiting = self._waiting, {}
        for connection in waiting:
            connection.flush()

    # Timers

    def _arm_sweep(self) -> None:
        """Wake up when the first session's time may be up."""
        if self._sweep is not None:
            self._sweep.cancel()
            self._sweep = None
        deadline = self.processor.sessions.next_deadline()
        if deadline is not None:
            delay = max(deadline - self._clock.monotonic(), SWEEP_SECONDS_MIN)
            self._sweep_at = self._clock.monotonic() + delay
            self._sweep = asyncio.get_running_loop().call_later(delay, self._sweep_sessions)

    def _sweep_sessions(self) -> None:
        self._sweep = None
        self._guarded(lambda: self.processor.expire_sessions(self._sweep_at))
        if not self.failed.done():
            self._arm_sweep()

    def _arm_container_check(self) -> None:
        delay = self.config.container_check_interval_ms / 1000
        self._container_check = asyncio.get_running_loop().call_later(delay, self._check_containers)

    def _check_containers(self) -> None:
        self._guarded(self.processor.remove_expired_nodes)
        if not self.failed.done():
            self._arm_container_check()

    def _guarded(self, work: Callable[[], None]) -> None:
        """Run the server's own transactions; without room for them they are tried again at the next round."""
        try:
            work()
        except KafkaStorageError as error:
            self.log.error("no room", "No room for the server's own transactions: %s", error)
        except Exception as error:  # noqa: BLE001  a background runner: it goes on, unless the log failed
            self.handle_unexpected(error)

    # Sockets

    def _bind(self) -> socket.socket:
        first = self.config.client_port
        last = first + PORTS_TRIED_MAX if self._port_search and first else first
        for port in range(first, last + 1):
            listener = self._try_bind(port, is_last=port == last)
            if listener is not None:
                self.port = listener.getsockname()[1]
                if port != first:
                    logger.warning("Port %d is taken, the ZooKeeper server listens on %d", first, port)
                return listener
        raise AssertionError("the last port binds or raises")

    def _try_bind(self, port: int, *, is_last: bool) -> socket.socket | None:
        family, kind, _, _, address = socket.getaddrinfo(self.host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.setblocking(False)
            listener.listen(LISTEN_BACKLOG)
        except OSError as error:
            listener.close()
            if error.errno == errno.EADDRINUSE and not is_last:
                return None
            raise OperatorError(f"cannot listen on {self.host}:{port}: {error.strerror}") from error
        return listener

    def _accepted(self, sock: socket.socket, _address: object) -> None:
        # A response behind another one would wait for the client's delayed acknowledgement: 40 ms.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        loop = asyncio.get_running_loop()
        arriving = loop.create_task(loop.connect_accepted_socket(lambda: ClientConnection(self), sock))
        self._arriving.add(arriving)
        arriving.add_done_callback(self._arriving.discard)

    def _close_listener_and_timers(self) -> None:
        if self._acceptor is not None:
            self._acceptor.close()
        for arriving in self._arriving:
            arriving.cancel()
        for timer in (self._sweep, self._container_check):
            if timer is not None:
                timer.cancel()

    def _close_connections(self, reason: str) -> None:
        for connection in list(self.connections):
            connection.close(reason)
