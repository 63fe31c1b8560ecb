"""A fetch from its first read to its answer: at once when there is enough to say, else when there is.

A fetch answers at once when it has `min_bytes`, may not wait, has an error or a diverging epoch to tell, or asks for
nothing that exists; also when `min_bytes` are there of which one answer takes less, because a segment ends or a limit
is reached: the next answer has the rest, and waiting brings this one nothing. Otherwise it counts the bytes that its
partitions gain, entry by entry as they change, and reads again when the sum is enough or the time is over. The answer
itself may take a little longer (cold data is read ahead, old clients get converted records): then `respond` returns a
future, and the fetch is answered with that.

Most waits end with a few bytes more of the only partition that there is to tell of. `respond_gain`, where there is one,
answers with these.
"""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from ottla.protocol.messages.fetch import PartitionData
from ottla.replication.fetch_session import FetchSession
from ottla.replication.fetching import FetchEntry, FetchParams, FetchReader, FetchResult, close_records
from ottla.replication.gain import Gain, read_gain
from ottla.replication.purgatory import Purgatory, Wait

Answers = list[tuple[FetchEntry, PartitionData]]
Response = TypeVar("Response")
RespondGain = Callable[[FetchEntry, FetchParams, int, Gain], bytes]
"""Takes the entry, what its fetch asks for, the id of the session, and what was gained; the body of the answer."""


class DelayedFetch(Generic[Response]):
    """One Fetch request. `full` answers name every partition, incremental ones only those with news."""

    __slots__ = (
        "_available",
        "_full",
        "_params",
        "_reader",
        "_respond",
        "_respond_gain",
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
        respond: Callable[[Answers], Response | asyncio.Future[Response]],
        *,
        full: bool,
        respond_gain: RespondGain | None = None,
    ) -> None:
        self._reader = reader
        self._respond = respond
        self._respond_gain = respond_gain
        self._session = session
        self._params = params
        self._full = full
        self._available: dict[FetchEntry, int] = {}
        self._total_bytes = 0
        # What the first read found, while it is nothing and none of the partitions has changed since.
        self._unchanged: FetchResult | None = None
        self._wait: Wait[Response | bytes] | None = None

    def start(self, purgatory: Purgatory) -> Response | asyncio.Future[Response] | asyncio.Future[Response | bytes]:
        session = self._session
        if session.waiting is not None:
            session.waiting.give_up()  # The fetcher has come back on another connection.
        result = self._read()
        if self._enough(result) or self._count(result) >= self._params.min_bytes:
            return self._respond(self._answers(result))
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
            or result.answer_now
            or result.unknown_count == len(self._session.entries)
        )

    def _count(self, result: FetchResult) -> int:
        """Count what there was to read, which may be more than was read. Where nothing was read nothing was there."""
        if result.total_bytes:
            for entry, answer in result.data:
                if not answer.error_code:
                    self._available[entry] = entry.count_available(self._params)
            self._total_bytes = sum(self._available.values())
        return self._total_bytes

    def _begin_wait(self, purgatory: Purgatory, result: FetchResult) -> asyncio.Future[Response | bytes]:
        session = self._session
        for entry, answer in result.data:
            if not entry.is_starved and not session.has_news(entry, answer):
                session.ready.pop(entry, None)
            if not answer.error_code:
                session.watch(entry)
        discard(result.data)
        if self._full and not result.total_bytes:
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
        if not self._answer_gain(entry, available):
            self._finish()
        return True

    def _answer_gain(self, entry: FetchEntry, size: int) -> bool:
        """Answer with what the entry has gained, if the answer has nothing else to say."""
        session, params, wait = self._session, self._params, self._wait
        named = session.entries if self._full else session.ready
        if self._respond_gain is None or len(named) != 1 or params.from_follower:
            return False
        gain = read_gain(entry, params, size)
        if gain is None:
            return False
        assert wait is not None
        session.waiting = None
        session.settle_gain(entry, gain)
        wait.complete(self._respond_gain(entry, params, session.session_id, gain))
        return True

    def give_up(self) -> None:
        self._answer([])

    def _expire(self) -> None:
        assert self._wait is not None
        self._wait.purgatory.expired_fetches[self._params.from_follower].value += 1
        self._finish()

    def _finish(self) -> None:
        self._session.waiting = None
        self._answer(self._answers(self._unchanged or self._read()))

    def _answer(self, answers: Answers) -> None:
        wait = self._wait
        assert wait is not None
        outcome = self._respond(answers)
        if isinstance(outcome, asyncio.Future):
            wait.stop_watching()
            outcome.add_done_callback(wait.complete_from)
            outcome.add_done_callback(lambda _: discard(answers) if wait.future.cancelled() else None)
        else:
            wait.complete(outcome)

    def _ended(self) -> None:
        """Answered, or cancelled because the connection went away."""
        session = self._session
        if session.waiting is self:
            session.waiting = None
        if session.session_id == 0:
            session.close()

    def _answers(self, result: FetchResult) -> Answers:
        session = self._session
        if session.session_id == 0:
            session.close()
            return result.data
        answers = [pair for pair in result.data if self._full or session.has_news(*pair)]
        for entry, answer in result.data:
            session.settle(entry, answer)
        return answers


def discard(answers: Answers) -> None:
    """Give back the file slices of a read whose bytes nobody will send."""
    for _entry, answer in answers:
        close_records(answer)
