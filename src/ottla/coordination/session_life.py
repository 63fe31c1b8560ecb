"""The life of a session over kazoo: state, lease, watchdog, requests in flight. The library is behind `kazoo_link`.

How a session ends and the next begins:

    server says "expired"           ─┐
    lease over by our own clock     ─┼─► EXPIRED, requests fail, watches die ─► a new link ─► RENEWED
    watchdog closed it (loop stuck) ─┘

A new link that knows the identity of the session before (after a lease ran out, or from the file of a killed process)
first takes that session up and closes it, so that its ephemeral nodes are gone when the new session starts.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ottla.clock import Clock
from ottla.coordination.connect_string import ConnectString
from ottla.coordination.errors import (
    ConnectionLossError,
    SessionClosedError,
    SessionExpiredError,
    ZooKeeperError,
)
from ottla.coordination.lease import Lease
from ottla.coordination.mailbox import Mailbox
from ottla.coordination.request_window import Request, RequestWindow
from ottla.coordination.session import (
    SessionEvent,
    SessionState,
    StateCallback,
)
from ottla.coordination.session_file import SessionFile, SessionIdentity
from ottla.coordination.watchdog import Watchdog
from ottla.observability.instruments import Histogram
from ottla.observability.logs import RateLimitedLogger

if TYPE_CHECKING:
    from ottla.coordination.kazoo_link import Connected, KazooLink

log = logging.getLogger(__name__)

CLOSE_SECONDS_MAX = 2.0

Send = Callable[["KazooLink", Callable[[Any, Exception | None], None]], None]


class SessionOptions(NamedTuple):
    connect: ConnectString
    session_timeout_ms: int = 18_000
    connection_timeout_ms: int = 18_000
    digest: str | None = None  # user:password
    set_acl: bool = False
    directory: str | None = None  # where the session's identity is kept; None: nowhere
    own_server: bool = False  # the server is the embedded one of this process


class SessionLife:
    """What `kazoo_session.KazooSession` is besides its operations."""

    def __init__(self, options: SessionOptions, clock: Clock, request_times: Histogram | None = None) -> None:
        self._options = options
        self._clock = clock
        self._chroot = options.connect.chroot
        self._file = SessionFile(options.directory, trust_copies=options.own_server) if options.directory else None
        self._state = SessionState.CONNECTING
        self._identity = SessionIdentity(0, b"")
        self._timeout_ms = options.session_timeout_ms
        self._lease = Lease(clock)
        self._window = RequestWindow()
        self._connection_log = RateLimitedLogger(log, clock)
        self._request_times = request_times or Histogram()
        self._watchdog = Watchdog(clock, self._close_link_of_stuck_loop)
        self._subscribers: list[StateCallback] = []
        self._link: KazooLink | None = None
        self._inherited: SessionIdentity | None = None
        self._generation = 0
        self._probing = False
        self._timers: list[asyncio.TimerHandle] = []

    # State

    @property
    def session_id(self) -> int:
        return self._identity.session_id

    @property
    def timeout_ms(self) -> int:
        return self._timeout_ms

    @property
    def state(self) -> SessionState:
        if self._state in (SessionState.CONNECTED, SessionState.SUSPENDED) and not self._lease.valid():
            self._lease_ended()
        return self._state

    def lease_valid(self) -> bool:
        return self._lease.valid()

    @property
    def lease_remaining_s(self) -> float:
        """How long what is owned through the session may still be used."""
        return self._lease.remaining_s()

    def subscribe(self, callback: StateCallback) -> Callable[[], None]:
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    # Life

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._mailbox = Mailbox(self._loop)
        self._first_connected: asyncio.Future[None] = self._loop.create_future()
        self._open_link(self._file.load() if self._file else None)
        try:
            await asyncio.wait_for(self._first_connected, self._options.connection_timeout_ms / 1000)
        except TimeoutError:
            await self.close()
            raise ConnectionLossError(
                f"no ZooKeeper server of {self._options.connect.hosts} answered within "
                f"{self._options.connection_timeout_ms} ms"
            ) from None

    async def close(self) -> None:
        if self._state is SessionState.CLOSED:
            return
        self._state = SessionState.CLOSED
        self._lease.end()
        self._cancel_timers()
        self._window.fail_all(SessionClosedError("the session was closed"))
        link, self._link = self._link, None
        if link is not None:
            stopped: asyncio.Future[None] = self._loop.create_future()
            self._in_thread(link.stop, lambda: stopped.set_result(None))
            await asyncio.wait([stopped], timeout=CLOSE_SECONDS_MAX)
        await self._loop.run_in_executor(None, self._watchdog.stop)
        self._forget_identity(link)

    def _forget_identity(self, link: "KazooLink | None") -> None:
        """A session that could not be closed lives on for its timeout: the next process must be able to end it."""
        if link is not None and link.session_closed and self._inherited is None:
            if self._file:
                self._file.remove()
        elif self._identity.session_id:
            log.warning(
                "ZooKeeper did not confirm the end of session 0x%x: it ends by itself after %d ms",
                self.session_id,
                self._timeout_ms,
            )

    # Links come and go

    def _open_link(self, inherited: SessionIdentity | None) -> None:
        from ottla.coordination.kazoo_link import KazooLink, LinkOptions  # importing kazoo takes 30 ms

        options = LinkOptions(self._options.connect.hosts, self._options.session_timeout_ms, self._options.digest)
        self._inherited = inherited
        self._link = KazooLink(options, inherited, self._clock, self._mailbox, self)
        self._link.start()

    def _replace_link(self, inherited: SessionIdentity | None) -> None:
        """Go on with a new connection. The old one ends in a thread of its own, however long that takes."""
        old = self._link
        self._open_link(inherited)
        if old is not None:
            self._in_thread(old.stop, lambda: None)

    def _close_link_of_stuck_loop(self) -> None:
        """Called in the watchdog's thread."""
        link = self._link
        if link is not None:
            link.stop()

    def _in_thread(self, work: Callable[[], None], done: Callable[[], Any]) -> None:
        def run() -> None:
            work()
            self._mailbox.post(done)

        threading.Thread(target=run, name="zookeeper-close", daemon=True).start()

    def link_connected(self, link: "KazooLink", connected: "Connected") -> None:
        if link is not self._link:
            return
        inherited, self._inherited = self._inherited, None
        if inherited is not None and inherited.session_id == connected.identity.session_id:
            log.info("closing the session 0x%x that was left behind", inherited.session_id)
            self._link = None
            self._in_thread(link.stop, self._open_after_inherited)
        elif connected.identity.session_id == self._identity.session_id and self._state is SessionState.SUSPENDED:
            self._resume(connected)
        else:
            self._begin(connected)

    def _open_after_inherited(self) -> None:
        if self._state is not SessionState.CLOSED:
            self._open_link(None)

    def _resume(self, connected: "Connected") -> None:
        self._connection_log.info("again", "connected to ZooKeeper again, same session 0x%x", self.session_id)
        self._lease.renew(connected.sent_at)
        self._state = SessionState.CONNECTED
        self._tell(SessionEvent.RESUMED)

    def _begin(self, connected: "Connected") -> None:
        if self._state in (SessionState.CONNECTED, SessionState.SUSPENDED):
            self._expire("ZooKeeper gave a new session")
        renewed = self._state is SessionState.EXPIRED
        self._identity, self._timeout_ms, sent_at = connected
        self._lease.begin(sent_at, self._timeout_ms)
        self._keep_identity()
        self._watchdog.start(self._timeout_ms)
        self._state = SessionState.CONNECTED
        log.info("ZooKeeper session 0x%x, timeout %d ms", self.session_id, self._timeout_ms)
        self._start_timers()
        if renewed:
            self._loop.call_soon(self._tell, SessionEvent.RENEWED)  # not before the news of the expiry
        else:
            self._tell(SessionEvent.CONNECTED)
            if not self._first_connected.done():
                self._first_connected.set_result(None)

    def _keep_identity(self) -> None:
        if self._file is None:
            return
        try:
            self._file.save(self._identity)
        except OSError as error:
            log.warning("cannot keep the session's identity, a killed broker will have to wait: %s", error)

    def link_suspended(self, link: "KazooLink") -> None:
        if link is self._link and self._state is SessionState.CONNECTED:
            self._connection_log.warning("lost", "connection to ZooKeeper lost; session 0x%x", self.session_id)
            self._state = SessionState.SUSPENDED
            self._tell(SessionEvent.SUSPENDED)

    def link_lost(self, link: "KazooLink") -> None:
        if link is self._link and self._state in (SessionState.CONNECTED, SessionState.SUSPENDED):
            self._expire("ZooKeeper says so")
            self._replace_link(None)

    def _lease_ended(self) -> None:
        identity = self._identity
        self._expire(f"no answer from ZooKeeper for {self._timeout_ms} ms")
        self._replace_link(identity)

    def _expire(self, reason: str) -> None:
        log.error("ZooKeeper session 0x%x is over: %s", self.session_id, reason)
        self._state = SessionState.EXPIRED
        self._lease.end()
        self._generation += 1
        self._cancel_timers()
        self._watchdog.rest()
        self._window.fail_all(SessionExpiredError(f"session 0x{self.session_id:x} is over: {reason}"))
        self._loop.call_soon(self._tell, SessionEvent.EXPIRED)

    def _tell(self, event: SessionEvent) -> None:
        for callback in list(self._subscribers):
            callback(event)

    # Timers: a cheap read every third of the timeout, and the end of the lease

    def _start_timers(self) -> None:
        self._cancel_timers()
        self._probing = False
        self._beat(self._generation)
        self._check_lease(self._generation)

    def _cancel_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _later(self, delay_s: float, callback: Callable[[int], None]) -> None:
        now = self._loop.time()
        self._timers = [timer for timer in self._timers if not timer.cancelled() and timer.when() > now]
        self._timers.append(self._loop.call_later(delay_s, callback, self._generation))

    def _beat(self, generation: int) -> None:
        if generation != self._generation:
            return
        self._watchdog.beat()
        self._later(self._timeout_ms / 3000, self._beat)
        if not self._probing:
            self._probing = True
            probe = self._request(lambda link, done: link.exists(self._chroot or "/", None, done), "/", read=True)
            probe.add_done_callback(self._probed)

    def _probed(self, probe: "asyncio.Future[Any]") -> None:
        self._probing = False
        if not probe.cancelled():
            probe.exception()

    def _check_lease(self, generation: int) -> None:
        if generation != self._generation or self._state is SessionState.CLOSED:
            return
        if self._lease.valid():
            self._later(self._lease.remaining_s() + 0.001, self._check_lease)
        else:
            self._lease_ended()

    # Requests

    def _request(
        self,
        send: Send,
        path: str,
        convert: Callable[[Any], Any] = lambda result: result,
        *,
        read: bool = False,
    ) -> "asyncio.Future[Any]":
        request = Request(send, path, convert, read, self._loop.create_future())
        if self.state is SessionState.CLOSED:
            request.fail(SessionClosedError("the session was closed"))
        elif self._state in (SessionState.EXPIRED, SessionState.CONNECTING):
            request.fail(SessionExpiredError("there is no session now"))
        elif self._window.admit(request):
            self._send(request)
        return request.future

    def _send(self, request: Request) -> None:
        link = self._link
        assert link is not None
        request.sent_at = self._clock.monotonic()
        request.times_sent += 1
        try:
            request.send(link, lambda value, error: self._answered(request, value, error))
        except Exception as error:  # noqa: BLE001  what kazoo does not even take is answered like the rest
            self._mailbox.post(self._answered, request, None, error)

    def _answered(self, request: Request, value: Any, error: Exception | None) -> None:
        if not self._window.holds(request):
            return  # failed when its session ended
        if error is not None:
            from ottla.coordination.kazoo_link import translate

            error = translate(error, request.path)
        if isinstance(error, ConnectionLossError) and request.may_be_sent_again:
            self._send(request)
            return
        if error is None or isinstance(error, ZooKeeperError):  # the server answered
            self._lease.renew(request.sent_at)
            self._request_times.record((self._clock.monotonic() - request.sent_at) * 1000)
        request.settle(value, error)
        following = self._window.release(request)
        if following is not None:
            self._send(following)
