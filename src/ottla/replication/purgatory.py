"""Requests that wait for something to happen to a partition.

A waiting request is a `Watcher` on each partition it names. An append, a high watermark that moves or a leader that
goes marks the partition as changed; once per turn of the event loop the purgatory tells each changed partition's
watchers, so that a hundred appends in one turn wake a consumer once, and an append wakes only those who wait on that
partition. Where it is a few who wait the server has them told before the producer gets its response: both times count,
and the response to a producer wakes a process that then competes with the consumer's.

A wait ends exactly once: by its watcher's own decision, by its timer, or because its connection went away
(the server cancels the future).
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from ottla.clock.timer_wheel import Timer, TimerWheel
from ottla.observability.instruments import Counter

Result = TypeVar("Result")

# For the responses to so many a producer may wait: some 60 us each, 300 with a megabyte of records.
FEW_MAX = 8


class Watcher(Protocol):
    def partition_changed(self, partition: Any) -> None:
        """Called on the loop, at most once per turn and partition."""
        ...


class Watched:
    """The part of a partition that requests wait on."""

    __slots__ = ("purgatory", "watchers")

    def __init__(self, purgatory: "Purgatory") -> None:
        self.purgatory = purgatory
        self.watchers: dict[Watcher, None] = {}

    def changed(self) -> None:
        """Something that a request may wait for has happened. Cheap when nobody waits."""
        if self.watchers:
            self.purgatory.mark(self)


class Purgatory:
    """Collects changed partitions over one loop turn and wakes their watchers; counts who waits."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        timers: TimerWheel,
        expired_fetches: Mapping[bool, Counter] | None = None,
    ) -> None:
        """`expired_fetches`: counters of fetches that waited in vain, by whether they are a follower's."""
        self.loop = loop
        self.timers = timers
        self.waiting: dict[str, int] = {"Produce": 0, "Fetch": 0}
        self.expired_fetches = expired_fetches or {False: Counter(), True: Counter()}
        self._changed: dict[Watched, None] = {}

    def mark(self, partition: Watched) -> None:
        if not self._changed:
            self.loop.call_soon(self._wake)
        self._changed[partition] = None

    def notify_if_few(self) -> None:
        """Tell the watchers now, if there are not many; else they are told in the loop's next turn."""
        if self._changed:
            count = 0
            for partition in self._changed:
                count += len(partition.watchers)
            if count <= FEW_MAX:
                self._wake()

    def _wake(self) -> None:
        changed, self._changed = self._changed, {}
        for partition in changed:
            for watcher in tuple(partition.watchers):
                try:
                    watcher.partition_changed(partition)
                except Exception as error:  # noqa: BLE001 - one that fails is no reason for the others to wait on
                    self.loop.call_exception_handler({"message": "a wait failed", "exception": error})


class PromptFuture(asyncio.Future[Result]):
    """A future that tells of its result as it gets it, and calls `on_cancel` instead as it is cancelled.

    A callback of asyncio's would come a turn of the loop later. That is time lost for a response; and for who has gone
    away an append of the same turn would still be read.
    """

    _tell: "Callable[[PromptFuture[Result]], None] | None" = None
    on_cancel: Callable[[], None] | None = None

    def on_result_now(self, callback: "Callable[[PromptFuture[Result]], None]") -> None:
        """`callback` is called with this future, once, by `tell`."""
        self._tell = callback

    def cancel(self, msg: Any | None = None) -> bool:
        if not super().cancel(msg):
            return False
        self._tell = None  # Not kept: who is called has this future.
        if self.on_cancel is not None:
            self.on_cancel()
        return True

    def tell(self) -> None:
        tell, self._tell = self._tell, None
        if tell is None:
            return
        try:
            tell(self)
        except Exception as error:  # noqa: BLE001 - as asyncio does for its callbacks: others must not suffer
            self.get_loop().call_exception_handler({"message": "an answer failed", "exception": error, "future": self})


class Wait(Generic[Result]):
    """One waiting request: its future, its timer, the partitions it watches. `on_end` is called when all is over."""

    __slots__ = ("_kind", "_on_end", "_released", "_timer", "_watched", "future", "purgatory")

    def __init__(
        self,
        purgatory: Purgatory,
        kind: str,
        timeout_ms: int,
        on_timeout: Callable[[], None],
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self.purgatory = purgatory
        self._kind = kind
        self._on_end = on_end
        self._released = False
        self._watched: list[tuple[Watched, Watcher]] = []
        self.future: PromptFuture[Result] = PromptFuture(loop=purgatory.loop)
        self.future.on_cancel = self._ended
        self._timer: Timer = purgatory.timers.schedule(timeout_ms, on_timeout)
        purgatory.waiting[kind] += 1

    def watch(self, partition: Watched, watcher: Watcher) -> None:
        partition.watchers[watcher] = None
        self._watched.append((partition, watcher))

    def complete(self, result: Result) -> None:
        future = self.future
        if not future.done():
            self._ended()
            future.set_result(result)
            future.tell()

    def complete_from(self, source: "asyncio.Future[Any]") -> None:
        """End as another future did; a wait that was cancelled meanwhile stays so."""
        if self.future.done() or source.cancelled():
            return
        error = source.exception()
        if error is not None:
            self._ended()
            self.future.set_exception(error)
            self.future.tell()
        else:
            self.complete(source.result())

    def _ended(self) -> None:
        self.stop_watching()
        self.future.on_cancel = None
        on_end, self._on_end = self._on_end, None  # Not kept, either: who made it has this wait.
        if on_end is not None:
            on_end()

    def stop_watching(self) -> None:
        """The wait is decided, though its response may still be on the way."""
        if self._released:
            return
        self._released = True
        self._timer.cancel()
        for partition, watcher in self._watched:
            partition.watchers.pop(watcher, None)
        self._watched.clear()
        self.purgatory.waiting[self._kind] -= 1
