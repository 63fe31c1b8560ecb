"""Commits: what the user says, or by itself every `auto.commit.interval.ms` what the user has got.

Automatic commits happen only while the user asks for more records, when leaving partitions, and on closing: at these
moments everything that was handed out has been worked on.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping

from ottla.clients.cluster import Cluster
from ottla.clients.consumer.fetch_state import FetchState
from ottla.clients.consumer.membership import Membership
from ottla.clients.consumer.settings import ConsumerSettings
from ottla.clients.errors import IllegalStateError, broker_error
from ottla.clients.group_offsets import OffsetAndMetadata, commit_offsets, fetch_committed
from ottla.clients.retry import retried
from ottla.errors import KafkaError
from ottla.model import TopicPartition

logger = logging.getLogger(__name__)

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
CommitCallback = Callable[[Offsets, KafkaError | None], object]
CLOSE_TIMEOUT_MS = 5_000


class Committer:
    def __init__(
        self,
        cluster: Cluster,
        settings: ConsumerSettings,
        member: Membership | None,
        on_commit: Callable[[Offsets], object] | None,
    ) -> None:
        self._cluster = cluster
        self._settings = settings
        self._member = member
        self._clock = cluster.runtime.clock
        self._due = self._clock.monotonic() + settings.auto_commit_interval_ms / 1000
        self._running: set[asyncio.Task[None]] = set()
        self._committed: dict[TopicPartition, int] = {}
        # Told of every commit that succeeded.
        self._on_commit = on_commit

    @property
    def _group(self) -> Membership:
        if self._member is None:
            raise IllegalStateError("to commit, give the consumer a group_id")
        return self._member

    async def commit(self, offsets: Offsets, timeout_ms: float) -> None:
        """Commit and wait for it. Raises what the coordinator has against it."""
        group = self._group
        if not offsets:
            return

        async def attempt() -> None:
            codes = await commit_offsets(self._cluster, group.group_id, offsets, group.identity)
            for partition, code in codes.items():
                if code:
                    raise broker_error(code, f"committing {partition}")

        await retried(attempt, backoff=self._cluster.retry_backoff, timeout_ms=timeout_ms, what="committing")
        self._committed.update((partition, value.offset) for partition, value in offsets.items())
        if self._on_commit is not None:
            self._on_commit(offsets)

    def commit_async(self, offsets: Offsets, callback: CommitCallback | None) -> None:
        """Commit without waiting. The callback hears how it went, on the loop."""
        _ = self._group
        task = self._cluster.runtime.loop.create_task(self._commit_and_tell(dict(offsets), callback))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _commit_and_tell(self, offsets: Offsets, callback: CommitCallback | None) -> None:
        error: KafkaError | None = None
        try:
            await self.commit(offsets, self._settings.api_timeout_ms)
        except KafkaError as failure:
            error = failure
        if callback is not None:
            try:
                callback(offsets, error)
            except Exception:
                logger.exception("a commit callback failed")

    async def committed(self, partitions: list[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata]:
        group_id = self._group.group_id
        return await retried(
            lambda: fetch_committed(self._cluster, group_id, partitions, require_stable=True),
            backoff=self._cluster.retry_backoff,
            timeout_ms=self._settings.api_timeout_ms,
            what=f"the committed offsets of {group_id}",
        )

    # By itself

    def seconds_to_auto_commit(self) -> float | None:
        if not self._settings.auto_commit:
            return None
        return max(0.01, self._due - self._clock.monotonic())

    def maybe_auto_commit(self, states: Mapping[TopicPartition, FetchState]) -> None:
        """Commit beside everything else, if it is time and something is new."""
        if not self._settings.auto_commit or self._clock.monotonic() < self._due or self._running:
            return
        self._due = self._clock.monotonic() + self._settings.auto_commit_interval_ms / 1000
        offsets = self._new_positions(states)
        if offsets:
            self.commit_async(offsets, _warn)

    async def auto_commit_now(self, states: Mapping[TopicPartition, FetchState]) -> None:
        """Commit before partitions are given away. A failure is no reason to keep them."""
        offsets: Offsets = self._new_positions(states) if self._settings.auto_commit else {}
        if offsets:
            try:
                await self.commit(offsets, CLOSE_TIMEOUT_MS)
            except KafkaError as error:
                _warn(offsets, error)

    def _new_positions(self, states: Mapping[TopicPartition, FetchState]) -> dict[TopicPartition, OffsetAndMetadata]:
        return {
            partition: value
            for partition, value in positions_of(states).items()
            if self._committed.get(partition) != value.offset
        }

    async def close(self, states: Mapping[TopicPartition, FetchState]) -> None:
        if self._running:
            await asyncio.wait(self._running, timeout=CLOSE_TIMEOUT_MS / 1000)
        await self.auto_commit_now(states)
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)


def positions_of(states: Mapping[TopicPartition, FetchState]) -> dict[TopicPartition, OffsetAndMetadata]:
    """What there is to commit: the positions of all partitions that have one."""
    return {
        partition: OffsetAndMetadata(state.position, "", state.leader_epoch)
        for partition, state in states.items()
        if state.position is not None
    }


def _warn(offsets: Offsets, error: KafkaError | None) -> None:
    if error is not None:
        logger.warning("an automatic commit of %d offsets failed: %s", len(offsets), error)
