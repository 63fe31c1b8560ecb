"""One member of a classic group: joining, the leader's work, heartbeats, leaving.

A member is in one generation at a time. It must join again when the coordinator says so (`needs_rejoin`, from a
heartbeat), when its own subscription or, for the leader, the partitions of the topics have changed; and it is lost when
the coordinator does not know it any more (`is_lost`): then what it owned belongs to others already.

Theory of operation. `join` runs JoinGroup and SyncGroup to their end, through every error that a new attempt can cure.
The heartbeat task runs between joins. It also watches that the user calls `poll` often enough: a member that does not
leaves the group, so that others get its partitions (`max.poll.interval.ms`, KIP-62).
"""

import asyncio
from collections.abc import Callable, Collection
from typing import Any

from ottla.clients.cluster import Cluster
from ottla.clients.consumer.assignors import Assignor, Subscription
from ottla.clients.consumer.group_protocol import (
    PROTOCOL_TYPE,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from ottla.clients.consumer.membership import MemberLostError
from ottla.clients.consumer.settings import GroupSettings
from ottla.clients.errors import broker_error
from ottla.clients.group_offsets import COORDINATOR_CHANNEL, GroupIdentity, note_coordinator_error
from ottla.clients.snapshot import ClusterSnapshot
from ottla.errors import DecodeError, ErrorCode, KafkaError, RetriableError
from ottla.errors.kafka import (
    IllegalGenerationError,
    InconsistentGroupProtocolError,
    MemberIdRequiredError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from ottla.model import TopicPartition
from ottla.protocol.message import Request
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from ottla.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from ottla.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse

# The response to JoinGroup comes when all members have joined; the broker gives up on them after the rebalance timeout.
JOIN_SLACK_MS = 5_000
NO_GENERATION = -1
_LOST = frozenset({ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION, ErrorCode.FENCED_INSTANCE_ID})


class GroupMember:
    """Implements `Membership`."""

    def __init__(self, cluster: Cluster, settings: GroupSettings, on_change: Callable[[], object]) -> None:
        self.settings = settings
        self.generation_id = NO_GENERATION
        self.member_id = ""
        self.needs_rejoin = True
        self.is_lost = False
        self.is_leader = False
        self._cluster = cluster
        self._failure: KafkaError | None = None
        self._last_polled_at = cluster.runtime.clock.monotonic()
        # What the leader assigned by: topics and their partitions, to see when they change.
        self._assigned_topics: dict[str, int] = {}
        self._on_change = on_change
        self._last_assignment: tuple[TopicPartition, ...] = ()
        self._heartbeats: asyncio.Task[None] | None = None

    @property
    def group_id(self) -> str:
        return self.settings.group_id

    @property
    def identity(self) -> GroupIdentity:
        """Who commits: this member in its generation, or nobody while it is in none."""
        if self.generation_id == NO_GENERATION:
            return GroupIdentity()
        return GroupIdentity(self.generation_id, self.member_id, self.settings.group_instance_id)

    @property
    def revokes_all(self) -> bool:
        return not self.settings.is_cooperative

    def require_rejoin(self) -> None:
        self.needs_rejoin = True

    def note_poll(self) -> None:
        self._last_polled_at = self._cluster.runtime.clock.monotonic()

    def note_revoked(self) -> None:
        """Others wait for what this member has let go of: another rebalance gives it to them."""
        self._request_rejoin()

    def handle_metadata(self, snapshot: ClusterSnapshot) -> None:
        """The leader assigns anew when its topics have other partitions."""
        if self.is_leader and self._assigned_topics:
            counts = {topic: snapshot.partitions_count(topic) for topic in self._assigned_topics}
            if counts != self._assigned_topics:
                self._request_rejoin()

    def take_failure(self) -> KafkaError | None:
        failure, self._failure = self._failure, None
        return failure

    def _request_rejoin(self) -> None:
        if not self.needs_rejoin:
            self.needs_rejoin = True
            self._on_change()

    # Joining

    async def join(self, topics: Collection[str], owned: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        """Join, or join again, through every error that a new attempt can cure."""
        failures = 0
        while True:
            try:
                assigned = await self._join_once(tuple(sorted(topics)), owned)
            except MemberIdRequiredError:
                continue
            except RebalanceInProgressError:
                continue
            except (UnknownMemberIdError, IllegalGenerationError):
                self._forget_membership()
                if owned:
                    raise MemberLostError("the coordinator does not know this member any more") from None
            except RetriableError:
                failures += 1
                await asyncio.sleep(self._cluster.retry_backoff.delay_ms(failures) / 1000)
            else:
                self.needs_rejoin = self.is_lost = False
                self._last_assignment = assigned
                self._start_heartbeats()
                return assigned

    async def _join_once(
        self, topics: tuple[str, ...], owned: tuple[TopicPartition, ...]
    ) -> tuple[TopicPartition, ...]:
        await self._stop_heartbeats()
        settings = self.settings
        request = JoinGroupRequest(
            group_id=self.group_id,
            session_timeout_ms=settings.session_timeout_ms,
            rebalance_timeout_ms=settings.max_poll_interval_ms,
            member_id=self.member_id,
            group_instance_id=settings.group_instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocols=[self._protocol(assignor, topics, owned) for assignor in settings.assignors],
        )
        timeout_ms = max(settings.max_poll_interval_ms + JOIN_SLACK_MS, self._cluster.settings.request_timeout_ms)
        response: JoinGroupResponse = await self._ask(request, timeout_ms)
        if response.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = response.member_id
        self._check(response.error_code, "joining")
        self.member_id, self.generation_id = response.member_id, response.generation_id
        self.is_leader = response.leader == response.member_id
        assignor = self._agreed_assignor(response.protocol_name)
        assignments = []
        if self.is_leader and not response.skip_assignment:
            assignments = await self._assign(response, assignor)
        return await self._sync(assignments, response.protocol_name)

    def _protocol(
        self, assignor: Assignor, topics: tuple[str, ...], owned: tuple[TopicPartition, ...]
    ) -> JoinGroupRequestProtocol:
        had = owned if assignor.is_cooperative else self._last_assignment
        subscription = Subscription(
            topics, owned, assignor.user_data(had, self.generation_id), self.generation_id, None, self.settings.rack
        )
        return JoinGroupRequestProtocol(name=assignor.name, metadata=encode_subscription(subscription))

    def _agreed_assignor(self, name: str | None) -> Assignor:
        for assignor in self.settings.assignors:
            if assignor.name == name:
                return assignor
        raise InconsistentGroupProtocolError(f"group {self.group_id} agreed on the assignor {name}, unknown here")

    async def _assign(self, response: JoinGroupResponse, assignor: Assignor) -> list[SyncGroupRequestAssignment]:
        """The leader's work."""
        try:
            members = {
                member.member_id: decode_subscription(member.metadata, member.group_instance_id)
                for member in response.members
            }
        except DecodeError as error:
            raise InconsistentGroupProtocolError(f"group {self.group_id}: a subscription cannot be read") from error
        topics = {topic for subscription in members.values() for topic in subscription.topics}
        self._cluster.watch_topics(topics)
        snapshot = await self._cluster.refresh()
        counts = {
            topic: known.partitions_count for topic in topics if (known := snapshot.topics.get(topic)) is not None
        }
        self._assigned_topics = {topic: counts.get(topic, 0) for topic in topics}
        assignment = assignor.assign(counts, members)
        return [
            SyncGroupRequestAssignment(member_id=member_id, assignment=encode_assignment(partitions))
            for member_id, partitions in assignment.items()
        ]

    async def _sync(
        self, assignments: list[SyncGroupRequestAssignment], protocol_name: str | None
    ) -> tuple[TopicPartition, ...]:
        request = SyncGroupRequest(
            group_id=self.group_id,
            generation_id=self.generation_id,
            member_id=self.member_id,
            group_instance_id=self.settings.group_instance_id,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=protocol_name,
            assignments=assignments,
        )
        timeout_ms = max(self.settings.max_poll_interval_ms + JOIN_SLACK_MS, self._cluster.settings.request_timeout_ms)
        response: SyncGroupResponse = await self._ask(request, timeout_ms)
        self._check(response.error_code, "syncing")
        return decode_assignment(response.assignment)

    async def _ask(self, request: Request, timeout_ms: float | None = None) -> Any:
        try:
            node_id = await self._cluster.coordinators.find(self.group_id)
            return await self._cluster.send(node_id, request, channel=COORDINATOR_CHANNEL, timeout_ms=timeout_ms)
        except KafkaError as error:
            note_coordinator_error(self._cluster, self.group_id, error)
            raise

    def _check(self, code: int, what: str) -> None:
        if code:
            error = broker_error(code, f"{what} group {self.group_id}")
            note_coordinator_error(self._cluster, self.group_id, error)
            raise error

    def _forget_membership(self) -> None:
        self.generation_id = NO_GENERATION
        self.member_id = ""

    # Heartbeats

    def _start_heartbeats(self) -> None:
        if self._heartbeats is None:
            self._heartbeats = self._cluster.runtime.loop.create_task(self._beat())

    async def _stop_heartbeats(self) -> None:
        task, self._heartbeats = self._heartbeats, None
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.settings.heartbeat_interval_ms / 1000)
            idle_ms = (self._cluster.runtime.clock.monotonic() - self._last_polled_at) * 1000
            if idle_ms > self.settings.max_poll_interval_ms:
                await self._leave("the user has not called poll for too long")
                self._lose()
                return
            try:
                response: HeartbeatResponse = await self._ask(self._heartbeat_request())
                self._check(response.error_code, "a heartbeat to")
            except RebalanceInProgressError:
                self._request_rejoin()
            except RetriableError:
                continue
            except KafkaError as error:
                if error.code == ErrorCode.FENCED_INSTANCE_ID or error.code not in _LOST:
                    self._failure = error
                self._lose()
                return

    def _heartbeat_request(self) -> HeartbeatRequest:
        return HeartbeatRequest(
            group_id=self.group_id,
            generation_id=self.generation_id,
            member_id=self.member_id,
            group_instance_id=self.settings.group_instance_id,
        )

    def _lose(self) -> None:
        self._heartbeats = None
        self._forget_membership()
        self.is_lost = self.needs_rejoin = True
        self._on_change()

    # Leaving

    async def _leave(self, reason: str) -> None:
        """Tell the coordinator, once: it finds out by itself if this fails."""
        if not self.member_id:
            return
        identity = MemberIdentity(
            member_id=self.member_id, group_instance_id=self.settings.group_instance_id, reason=reason
        )
        request = LeaveGroupRequest(group_id=self.group_id, member_id=self.member_id, members=[identity])
        try:
            await self._ask(request, 5_000)
        except KafkaError:
            return

    async def close(self) -> None:
        """Leave the group. A static member does not: it will be back under its name (KIP-345)."""
        await self._stop_heartbeats()
        if self.settings.group_instance_id is None:
            await self._leave("the consumer is being closed")
        self._forget_membership()
        self.needs_rejoin = True
