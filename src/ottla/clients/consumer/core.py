"""The consumer's heart, on the loop: what is read, by whom, from where; the faces are thin layers over it.

`next_event` is the one thing that a face waits for. It keeps the membership of the group alive (joining again when it
must), finds positions, commits automatically when it is time, and hands over fetched data, or news that the user must
hear first (`events`). Long work (joining, looking up offsets) goes on between calls; a call never waits for longer than
it was allowed to.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from typing import Any

from ottla.clients.cluster import Cluster
from ottla.clients.consumer.committer import Committer, Offsets
from ottla.clients.consumer.consumer_metrics import ConsumerMetrics
from ottla.clients.consumer.events import Assigned, Lost, RebalanceEvent, Revoked
from ottla.clients.consumer.fetch_state import FetchState
from ottla.clients.consumer.fetched import FetchedPartition
from ottla.clients.consumer.fetcher import Fetcher
from ottla.clients.consumer.group_member import GroupMember
from ottla.clients.consumer.membership import MakeMembership, MemberLostError, Membership
from ottla.clients.consumer.positions import find_positions
from ottla.clients.consumer.settings import ConsumerSettings
from ottla.clients.consumer.subscription_state import SubscriptionState
from ottla.clients.errors import ClientTimeoutError, IllegalStateError
from ottla.clients.metrics import ClientMetrics
from ottla.clients.offset_lookup import OffsetAndTimestamp, OffsetSpec, list_offsets
from ottla.clients.snapshot import ClusterSnapshot
from ottla.errors import KafkaError, OttlaError
from ottla.model import TopicPartition


class ConsumerCore:
    def __init__(
        self,
        cluster: Cluster,
        settings: ConsumerSettings,
        metrics: ClientMetrics,
        *,
        make_membership: MakeMembership = GroupMember,
        on_commit: Callable[[Offsets], object] | None = None,
    ) -> None:
        self.cluster = cluster
        self.settings = settings
        self.states: dict[TopicPartition, FetchState] = {}
        self.metrics = ConsumerMetrics(metrics, self.states)
        self.member: Membership | None = None
        if settings.group is not None:
            self.member = make_membership(cluster, settings.group, self._wake)
        self.committer = Committer(cluster, settings, self.member, on_commit)
        self.fetcher = Fetcher(cluster, self.states, settings.fetch, self.metrics, self._wake)
        self._subscription = SubscriptionState(exclude_internal=settings.exclude_internal_topics)
        self._changed = asyncio.Event()
        self._script: AsyncGenerator[RebalanceEvent, None] | None = None
        self._step: asyncio.Task[RebalanceEvent | None] | None = None
        self._positioning: asyncio.Task[None] | None = None
        self._failure: OttlaError | None = None
        self._woken = False
        cluster.subscribe(self._handle_metadata)

    # What to read

    async def subscribe(self, topics: Iterable[str]) -> None:
        self._need_group()
        wanted = list(topics)
        self._subscription.subscribe(wanted)
        self.cluster.all_topics = False
        self.cluster.watch_topics(wanted)
        self._rejoin()

    async def subscribe_pattern(self, pattern: str | re.Pattern[str], exclude: str | re.Pattern[str] | None) -> None:
        self._need_group()
        self._subscription.subscribe_pattern(pattern, exclude)
        self.cluster.all_topics = True
        await self.cluster.refresh()
        self._rejoin()

    async def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Read exactly these. Partitions that are read already keep their positions."""
        self._subscription.assign()
        wanted = [TopicPartition(*partition) for partition in partitions]
        self.cluster.watch_topics({partition.topic for partition in wanted})
        self._drop([partition for partition in self.states if partition not in wanted])
        self._add([partition for partition in wanted if partition not in self.states])
        self._wake()

    async def unsubscribe(self) -> None:
        await self._end_rebalance()
        if self.member is not None and self._subscription.is_subscribed:
            await self.committer.auto_commit_now(self.states)
            await self.member.close()
        self._subscription.clear()
        self._drop(list(self.states))

    def subscription(self) -> frozenset[str]:
        return self._subscription.topics

    def _need_group(self) -> None:
        if self.member is None:
            raise IllegalStateError("to subscribe, give the consumer a group_id; without one, assign partitions")

    def _rejoin(self) -> None:
        assert self.member is not None
        self.member.require_rejoin()
        self._wake()

    def _add(self, partitions: Iterable[TopicPartition]) -> None:
        self.states.update((partition, FetchState(partition)) for partition in partitions)

    def _drop(self, partitions: Iterable[TopicPartition]) -> None:
        for partition in partitions:
            state = self.states.pop(partition, None)
            if state is not None:
                state.generation += 1

    def state_of(self, partition: TopicPartition) -> FetchState:
        state = self.states.get(partition)
        if state is None:
            raise IllegalStateError(f"{partition[0]}-{partition[1]} is not assigned to this consumer")
        return state

    # Events

    async def next_event(self, timeout_ms: float | None) -> FetchedPartition | RebalanceEvent | None:
        """Data, news, or None when there is neither in time. Raises what the user must know."""
        runtime = self.cluster.runtime
        deadline = None if timeout_ms is None else runtime.clock.monotonic() + timeout_ms / 1000
        while True:
            self._changed.clear()
            event = self._progress()
            if event is not None:
                return event
            left = None if deadline is None else deadline - runtime.clock.monotonic()
            if left is not None and left <= 0:
                return None
            await self._wait(left)

    async def _wait(self, left_s: float | None) -> None:
        """Until something changed, or it is time to commit, or to give up."""
        due_s = self.committer.seconds_to_auto_commit()
        waits = [seconds for seconds in (left_s, due_s) if seconds is not None]
        try:
            async with asyncio.timeout(min(waits) if waits else None):
                await self._changed.wait()
        except TimeoutError:
            return

    def _progress(self) -> FetchedPartition | RebalanceEvent | None:
        if self.fetcher.has_divergence:
            self.fetcher.resolve_divergences()
        self._raise_failures()
        self.committer.maybe_auto_commit(self.states)
        if self.member is not None and self._subscription.is_subscribed:
            self.member.note_poll()
            if self.member.needs_rejoin or self._script is not None:
                event = self._step_rebalance()
                if event is not None or self._holds_fetching():
                    return event
        self._find_positions()
        fetched = self.fetcher.take()
        self.fetcher.poke()
        return fetched

    def _raise_failures(self) -> None:
        if self._woken:
            self._woken = False
            raise WakeupError("the consumer was woken up")
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        if self.member is not None and (lost := self.member.take_failure()) is not None:
            raise lost
        for state in self.states.values():
            if state.error is not None:
                error, state.error = state.error, None
                raise error

    def wakeup(self) -> None:
        """End the wait of a `next_event` with a WakeupError."""
        self._woken = True
        self._wake()

    def _wake(self) -> None:
        self._changed.set()

    @property
    def needs_attention(self) -> bool:
        """Whether a face that has data of its own must come back here first. Read from any thread."""
        member = self.member
        is_leaving = member is not None and member.needs_rejoin and self._subscription.is_subscribed
        is_rebalancing = is_leaving or self._script is not None
        return self._woken or is_rebalancing or self.fetcher.has_divergence

    # Rebalancing

    def _holds_fetching(self) -> bool:
        """While an eager group rebalances nobody owns anything."""
        return self._script is not None and not self.states

    def _step_rebalance(self) -> RebalanceEvent | None:
        """Go on with the rebalance; the news, if it has come to some."""
        if self._script is None:
            self._script = self._rebalance()
        if self._step is None:
            self._step = self.cluster.runtime.loop.create_task(self._next_of(self._script))
            self._step.add_done_callback(lambda _task: self._wake())
        if not self._step.done():
            return None
        step, self._step = self._step, None
        try:
            event = step.result()
        except BaseException:
            self._script = None
            raise
        if isinstance(event, Assigned):
            self._add(sorted(event.partitions))  # only now, while the user polls and will hear of it
        if event is None:
            self._script = None
            if self.member is not None and self.member.needs_rejoin:
                return self._step_rebalance()
        return event

    @staticmethod
    async def _next_of(script: AsyncGenerator[RebalanceEvent, None]) -> RebalanceEvent | None:
        return await anext(script, None)

    async def _rebalance(self) -> AsyncGenerator[RebalanceEvent, None]:
        """One rebalance from beginning to end. Each event is heard by the user before the next step."""
        member = self.member
        assert member is not None
        if self.states and member.is_lost:
            yield Lost(frozenset(self.states))
            self._drop(list(self.states))
        elif self.states:
            await self.committer.auto_commit_now(self.states)
            if member.revokes_all:
                yield Revoked(frozenset(self.states))
                self._drop(list(self.states))
        try:
            assigned = await member.join(self._subscription.topics, tuple(sorted(self.states)))
        except MemberLostError:
            yield Lost(frozenset(self.states))
            self._drop(list(self.states))
            assigned = await member.join(self._subscription.topics, ())
        wanted = frozenset(assigned)
        gone = frozenset(self.states) - wanted
        if gone:
            await self.committer.auto_commit_now({partition: self.states[partition] for partition in gone})
            yield Revoked(gone)
            self._drop(gone)
        added = wanted - frozenset(self.states)
        self.cluster.watch_topics({partition.topic for partition in added})
        if gone:
            member.note_revoked()
        yield Assigned(added)

    async def _end_rebalance(self) -> None:
        step, script = self._step, self._script
        self._step = self._script = None
        if step is not None:
            step.cancel()
            await asyncio.gather(step, return_exceptions=True)
        if script is not None:
            await script.aclose()

    def _handle_metadata(self, snapshot: ClusterSnapshot) -> None:
        if self._subscription.update(snapshot):
            self._rejoin()
        if self.member is not None:
            self.member.handle_metadata(snapshot)
        self.fetcher.poke()

    # Positions

    def _find_positions(self) -> None:
        missing = [state for state in self.states.values() if state.position is None and state.error is None]
        if missing and self._positioning is None:
            work = find_positions(self.cluster, self.settings, missing)
            self._positioning = self.cluster.runtime.loop.create_task(work)
            self._positioning.add_done_callback(self._positioned)

    def _positioned(self, task: "asyncio.Task[None]") -> None:
        self._positioning = None
        if not task.cancelled() and (failure := task.exception()) is not None:
            if not isinstance(failure, OttlaError):
                raise failure
            self._failure = failure
        self._wake()

    async def position(self, partition: TopicPartition, timeout_ms: float) -> int:
        """The next offset to be read, looked up where it is not known yet."""
        state = self.state_of(partition)
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                while state.position is None:
                    self._changed.clear()
                    self._raise_failures()
                    self._find_positions()
                    await self._changed.wait()
        except TimeoutError as error:
            raise ClientTimeoutError(f"the position in {partition} was not found within {timeout_ms:.0f} ms") from error
        return state.position

    async def seek(self, partition: TopicPartition, offset: int) -> None:
        if offset < 0:
            raise IllegalStateError(f"an offset to seek to is not negative: {offset}")
        self.state_of(partition).seek(offset)
        self._wake()

    async def reset(self, partitions: Collection[TopicPartition] | None, spec: OffsetSpec) -> None:
        for partition in list(self.states) if partitions is None else partitions:
            self.state_of(partition).request_reset(spec)
        self._wake()

    async def seek_to_time(self, times: Mapping[TopicPartition, int]) -> None:
        """The first record at or after a time; the end where there is none."""
        found = await self.offsets(times)
        late = [partition for partition, result in found.items() if result.offset < 0]
        await self.reset(late, OffsetSpec.LATEST)
        for partition, result in found.items():
            if result.offset >= 0:
                self.state_of(partition).seek(result.offset)
        self._wake()

    async def offsets(self, times: Mapping[TopicPartition, int]) -> dict[TopicPartition, OffsetAndTimestamp]:
        results = await list_offsets(
            self.cluster,
            times,
            timeout_ms=self.settings.api_timeout_ms,
            read_committed=self.settings.fetch.read_committed,
        )
        found: dict[TopicPartition, OffsetAndTimestamp] = {}
        for partition, result in results.items():
            if isinstance(result, KafkaError):
                raise result
            found[partition] = result
        return found

    async def take_more(self) -> list[FetchedPartition]:
        """All data that is there already."""
        found: list[FetchedPartition] = []
        while (fetched := self.fetcher.take()) is not None:
            found.append(fetched)
        self.fetcher.poke()
        return found

    async def set_paused(self, partitions: Iterable[TopicPartition], is_paused: bool) -> None:
        for partition in partitions:
            self.state_of(partition).is_paused = is_paused
        self.fetcher.poke()
        self._wake()

    # Ending

    async def close(self) -> None:
        """Commit where that is automatic, leave the group, close the connections."""
        await self._end_rebalance()
        if self._positioning is not None:
            self._positioning.cancel()
            await asyncio.gather(self._positioning, return_exceptions=True)
        await self.fetcher.close()
        await self.committer.close(self.states)
        if self.member is not None:
            await self.member.close()
        await self.cluster.close()

    async def end(self) -> None:
        """Close without a commit: nobody says whether the last records were worked on."""
        self.states.clear()
        await self.close()


class WakeupError(OttlaError):
    """`wakeup` was called while somebody waited for records."""


def as_partitions(given: Iterable[Any]) -> list[TopicPartition]:
    """Pairs of topic and partition, whatever kind of tuple they are."""
    return [_as_partition(pair) for pair in given]


def _as_partition(pair: Any) -> TopicPartition:
    match pair:
        case (str() as topic, int() as partition) if partition >= 0:
            return TopicPartition(topic, partition)
    raise IllegalStateError(f"a partition is a pair like ('clicks', 0), not {pair!r}")
