"""How many requests, and how many of their bytes, the server takes in at once over all connections.

A request needs memory of its own from when its frame is begun to be received until its handler has run; that is what
is counted here, as one request and as the bytes of its frame. A frame that is complete when it is read is handled in
the same moment and never waits, and a request that waits in purgatory has given its frame back. Bytes that a handler
goes on working with (records that are decompressed in a thread) are counted again for as long as that takes.

A size is only announced, and whoever announces one need not send it. So a frame is counted, and given room, with no
more than an ordinary request takes; when it has filled that it is counted with the rest of its size. Of the budget's
bytes that growth leaves one half alone: whoever does not go on with a large frame holds back large frames, until its
deadline, and no others. One large frame may always grow, so that one larger than the budget can be received at all.

A frame begins while any of the budget is left. At the bound a connection is left unread, not closed; the ones that wait
are admitted in the order in which they came, those that grow before those that begin.
Invariant: while somebody waits to begin, nothing is left of the budget that growth may not take or has not taken.

There are two classes with a budget each, so that clients cannot keep the controller and replication from working:
connections on the listener of the control plane or between brokers where clients have another one, and else the
requests by which the controller and the leaders move the cluster. What a peer says of itself (client id, replica id)
never matters.
"""

from collections.abc import Callable
from typing import Protocol

from ottla.clock import Clock, Stopwatch


class Waiter(Protocol):
    def admit_frame(self) -> None:
        """What was refused has been counted and may begin."""
        ...


class RequestBudget:
    """One class of requests: what is being received, its bounds, and who waits."""

    __slots__ = (
        "_full",
        "_waiting",
        "_waiting_to_grow",
        "bytes_max",
        "grown_bytes",
        "queued_bytes",
        "queued_requests",
        "requests_max",
    )

    def __init__(self, clock: Clock, requests_max: int, bytes_max: int) -> None:
        self.requests_max = requests_max
        self.bytes_max = bytes_max
        self.queued_requests = 0
        self.queued_bytes = 0
        self.grown_bytes = 0  # of these, what frames have beyond the room that they began with
        self._waiting: dict[Waiter, int] = {}
        self._waiting_to_grow: dict[Waiter, int] = {}
        self._full = Stopwatch(clock)

    @property
    def waiting_count(self) -> int:
        return len(self._waiting) + len(self._waiting_to_grow)

    @property
    def paused_s(self) -> float:
        """Seconds in which somebody had to wait."""
        return self._full.elapsed_s

    def try_take(self, waiter: Waiter, size: int) -> bool:
        """Count a request of this size, or remember who wanted to begin one."""
        if self._is_spent():
            self._waiting[waiter] = size
            self._note_waiting()
            return False
        self._take(size)
        return True

    def try_grow(self, waiter: Waiter, size: int) -> bool:
        """Count so many bytes more of a request that is counted already, or remember who wanted them."""
        if not self._may_grow():
            self._waiting_to_grow[waiter] = size
            self._note_waiting()
            return False
        self._grow(size)
        return True

    def hold(self, size: int) -> None:
        """Count, without asking, what a request that was handled still needs. `give_back` ends that."""
        self._take(size)

    def give_back(self, size: int, grown: int = 0) -> None:
        """A request that was counted has been handled, or its connection is gone."""
        self.queued_requests -= 1
        self.queued_bytes -= size + grown
        self.grown_bytes -= grown
        while self._waiting_to_grow and self._may_grow():
            waiter = next(iter(self._waiting_to_grow))
            self._grow(self._waiting_to_grow.pop(waiter))
            self._note_waiting()
            waiter.admit_frame()
        while self._waiting and not self._is_spent():
            waiter = next(iter(self._waiting))
            self._take(self._waiting.pop(waiter))
            self._note_waiting()
            waiter.admit_frame()

    def forget(self, waiter: Waiter) -> bool:
        """Somebody is gone; whether it waited."""
        waiting = self._waiting if waiter in self._waiting else self._waiting_to_grow
        waited = waiting.pop(waiter, None) is not None
        self._note_waiting()
        return waited

    def _note_waiting(self) -> None:
        """Keep the time in which anybody waits."""
        if self._waiting or self._waiting_to_grow:
            self._full.start()
        else:
            self._full.stop()

    def _is_spent(self) -> bool:
        begun_bytes = self.queued_bytes - self.grown_bytes
        growth = min(self.grown_bytes, self.bytes_max // 2)
        return self.queued_requests >= self.requests_max or begun_bytes + growth >= self.bytes_max

    def _may_grow(self) -> bool:
        return not self.grown_bytes or self.queued_bytes < self.bytes_max

    def _grow(self, size: int) -> None:
        self.queued_bytes += size
        self.grown_bytes += size

    def _take(self, size: int) -> None:
        self.queued_requests += 1
        self.queued_bytes += size


class Admission:
    """The two budgets of a server. `is_control_api`: where no listener is kept apart the API key decides."""

    __slots__ = ("_is_control_api", "clients", "control")

    def __init__(
        self, clock: Clock, requests_max: int, bytes_max: int, *, is_control_api: Callable[[int], bool] | None
    ) -> None:
        self._is_control_api = is_control_api
        self.clients = RequestBudget(clock, requests_max, bytes_max)
        self.control = RequestBudget(clock, requests_max, bytes_max)

    def budget_for(self, api_key: int, *, control_listener: bool) -> RequestBudget:
        is_control = control_listener if self._is_control_api is None else self._is_control_api(api_key)
        return self.control if is_control else self.clients
