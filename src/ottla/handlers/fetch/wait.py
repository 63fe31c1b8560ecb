"""A fetch from its first read to its response: at once when there is enough to say, else when there is.

A fetch gets its response at once when it has `min_bytes`, may not wait, has an error or a diverging epoch to tell, or
asks for nothing that exists; also when `min_bytes` are there of which one response takes less, because a segment ends
or a limit is reached: the next response has the rest, and waiting brings this one nothing. Otherwise it counts the
bytes that its partitions gain, entry by entry as they change, and reads again when the sum is enough or the time is
over. The response itself may take a little longer (cold data is read ahead, old clients get converted records): then
`respond` returns a future, and the fetch ends with that.
"""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from ottla.replication.fetch_reader import FetchEntry, FetchParams, FetchReader, FetchResult, Reads, close_reads
from ottla.replication.fetch_session import FetchSession
from ottla.replication.purgatory import Purgatory, Wait

Response = TypeVar("Response")


class DelayedFetch(Generic[Response]):
    """One Fetch request. `full` responses name every partition, incremental ones only those with news."""

    __slots__ = (
        "_available",
        "_full",
        "_params",
        "_reader",
        "_respond",
        "_session",
        "_total_bytes",
        "_unchanged",
        "_wait",
    )

    def __init__(
        self,
        reader: FetchReader,
        session: FetchSession,
        params: FetchParams,
        respond: Callable[[Reads], Response | asyncio.Future[Response]],
        *,
        full: bool,
    ) -> None:
        self._reader = reader
        self._respond = respond
        self._session = session
        self._params = params
        self._full = full
        self._available: dict[FetchEntry, int] = {}
        self._total_bytes = 0
        # What the first read found, while it is nothing and none of the partitions has changed since.
        self._unchanged: FetchResult | None = None
        self._wait: Wait[Response] | None = None

    def start(self, purgatory: Purgatory) -> Response | asyncio.Future[Response]:
        session = self._session
        if session.waiting is not None:
            session.waiting.give_up()  # The fetcher has come back on another connection.
        result = self._read()
        if self._enough(result) or self._count(result) >= self._params.min_bytes:
            return self._respond(self._settled(result))
        return self._begin_wait(purgatory, result)

    def _read(self) -> FetchResult:
        session = self._session
        entries = list(session.entries.values()) if self._full else list(session.ready)
        return self._reader.read(entries, self._params)

    def _enough(self, result: FetchResult) -> bool:
        params = self._params
        return (
            result.total_bytes >= params.min_bytes
            or params.max_wait_ms <= 0
            or result.respond_now
            or result.unknown_count == len(self._session.entries)
        )

    def _count(self, result: FetchResult) -> int:
        """Count what there was to read, which may be more than was read. Where nothing was read nothing was there."""
        if result.total_bytes:
            for entry, read in result.reads:
                if not read.error_code:
                    self._available[entry] = entry.count_available(self._params)
            self._total_bytes = sum(self._available.values())
        return self._total_bytes

    def _begin_wait(self, purgatory: Purgatory, result: FetchResult) -> asyncio.Future[Response]:
        session = self._session
        for entry, read in result.reads:
            if not entry.is_starved and not session.has_news(entry, read):
                session.ready.pop(entry, None)
            if not read.error_code:
                session.watch(entry)
        if result.total_bytes:
            close_reads(result.reads)
        elif self._full:
            self._unchanged = result
        session.waiting = self
        self._wait = Wait(purgatory, "Fetch", self._params.max_wait_ms, self._expire, self._ended)
        return self._wait.future

    def entry_changed(self, entry: FetchEntry) -> bool:
        """Count what the entry has gained; True when the wait is over."""
        self._unchanged = None
        available = entry.count_available(self._params)
        self._total_bytes += available - self._available.get(entry, 0)
        self._available[entry] = available
        if self._total_bytes < self._params.min_bytes:
            return False
        self._finish()
        return True

    def give_up(self) -> None:
        self._complete([])

    def _expire(self) -> None:
        assert self._wait is not None
        self._wait.purgatory.expired_fetches[self._params.from_follower].value += 1
        self._finish()

    def _finish(self) -> None:
        self._session.waiting = None
        self._complete(self._settled(self._unchanged or self._read()))

    def _complete(self, reads: Reads) -> None:
        wait = self._wait
        assert wait is not None
        outcome = self._respond(reads)
        if isinstance(outcome, asyncio.Future):
            wait.stop_watching()
            outcome.add_done_callback(wait.complete_from)
            outcome.add_done_callback(lambda _: close_reads(reads) if wait.future.cancelled() else None)
        else:
            wait.complete(outcome)

    def _ended(self) -> None:
        """Responded to, or cancelled because the connection went away."""
        session = self._session
        if session.waiting is self:
            session.waiting = None
        if session.session_id == 0:
            session.close()

    def _settled(self, result: FetchResult) -> Reads:
        """What the response tells of, as far as it is news to the session."""
        session = self._session
        if session.session_id == 0:
            session.close()
            return result.reads
        reads = []
        for pair in result.reads:
            entry, read = pair
            if self._full or session.has_news(entry, read):
                reads.append(pair)
            session.settle(entry, read)
        return reads
