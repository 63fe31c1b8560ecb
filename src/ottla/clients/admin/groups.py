"""Groups and their offsets: list, describe, delete; read, set and delete what they have committed."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from ottla.clients.admin.calls import AdminCalls
from ottla.clients.admin.outcomes import Outcomes
from ottla.clients.admin.types import GroupDescription, GroupListing, MemberDescription
from ottla.clients.by_topic import partitions_by_topic
from ottla.clients.errors import broker_error
from ottla.clients.group_offsets import OffsetAndMetadata, commit_offsets, fetch_committed, note_coordinator_error
from ottla.errors import DecodeError, ErrorCode, KafkaError, RetriableError
from ottla.model import TopicPartition
from ottla.protocol.message import Request
from ottla.protocol.messages.consumer_protocol import ConsumerProtocolAssignment
from ottla.protocol.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from ottla.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from ottla.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from ottla.protocol.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from ottla.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
)
from ottla.protocol.versioned import decode_versioned

T = TypeVar("T")
CONSUMER = "consumer"


class GroupCalls(AdminCalls):
    async def list_groups(self, *, states: Iterable[str] = ()) -> list[GroupListing]:
        """The groups of all brokers, in some states or in any::

        [group.group_id for group in admin.list_groups(states=["Stable"])]
        """
        request = ListGroupsRequest(states_filter=list(states))

        async def ask(node_id: int) -> list[GroupListing]:
            response: ListGroupsResponse = await self._cluster.send(node_id, request)
            if response.error_code:
                raise broker_error(response.error_code, f"listing the groups of broker {node_id}")
            return [
                GroupListing(group.group_id, group.protocol_type, group.group_state, group.group_type)
                for group in response.groups
            ]

        async def attempt() -> list[GroupListing]:
            await self._cluster.refresh()
            found = await asyncio.gather(*map(ask, self._cluster.snapshot.brokers))
            return sorted(group for groups in found for group in groups)

        return await self._retry(attempt, "listing groups")

    async def describe_groups(self, group_ids: Iterable[str]) -> Outcomes[str, GroupDescription]:
        """State, assignor and members; a group that does not exist is in state Dead::

        admin.describe_groups(["billing"])["billing"].state
        """
        return await self._each(group_ids, self._describe)

    async def _describe(self, group_id: str) -> GroupDescription:
        node_id = await self._cluster.coordinators.find(group_id)
        # Version 6 calls a group that is not there an error; up to 5 it is one that is dead, as tools show it.
        response: DescribeGroupsResponse = await self._cluster.send(
            node_id, DescribeGroupsRequest(groups=[group_id]), version_max=5
        )
        group = response.groups[0]
        if group.error_code:
            raise broker_error(group.error_code, f"group {group_id}", group.error_message)
        return _description(group, node_id)

    async def delete_groups(self, group_ids: Iterable[str]) -> Outcomes[str, None]:
        """Delete groups that have no members, with their offsets::

        admin.delete_groups(["billing"]).check()
        """

        async def delete(group_id: str) -> None:
            node_id = await self._cluster.coordinators.find(group_id)
            request = DeleteGroupsRequest(groups_names=[group_id])
            response: DeleteGroupsResponse = await self._cluster.send(node_id, request)
            if code := response.results[0].error_code:
                raise broker_error(code, f"group {group_id}")

        return await self._each(group_ids, delete)

    async def remove_members(self, group_id: str, members: Iterable[str] | None = None) -> None:
        """Put static members out of their group by instance id; without names, everybody::

        admin.remove_members("billing", ["till-1"])
        """
        if members is None:
            description = (await self.describe_groups([group_id]))[group_id]
            identities = [
                MemberIdentity(member_id=member.member_id, group_instance_id=member.group_instance_id)
                for member in description.members
            ]
        else:
            identities = [MemberIdentity(member_id="", group_instance_id=name) for name in members]

        async def leave() -> None:
            response: LeaveGroupResponse = await self._ask_coordinator(
                group_id, LeaveGroupRequest(group_id=group_id, members=identities)
            )
            for code in (response.error_code, *(member.error_code for member in response.members)):
                if code:
                    raise broker_error(code, f"removing members of {group_id}")

        await self._retry(leave, f"removing members of {group_id}")

    async def list_group_offsets(
        self, group_id: str, partitions: Collection[TopicPartition] | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What a group has committed, for some partitions or for all::

        admin.list_group_offsets("billing")[TopicPartition("clicks", 0)].offset
        """
        return await self._retry(
            lambda: fetch_committed(self._cluster, group_id, partitions), f"committed offsets of {group_id}"
        )

    async def alter_group_offsets(
        self, group_id: str, offsets: Mapping[TopicPartition, int | OffsetAndMetadata]
    ) -> Outcomes[TopicPartition, None]:
        """Set the committed offsets of a group that has no members::

        admin.alter_group_offsets("billing", {TopicPartition("clicks", 0): 0}).check()
        """
        wanted = {
            partition: OffsetAndMetadata(offset) if isinstance(offset, int) else offset
            for partition, offset in offsets.items()
        }
        codes = await self._retry(
            lambda: commit_offsets(self._cluster, group_id, wanted), f"committing offsets of {group_id}"
        )
        return _by_code(codes, f"offset of {group_id} for")

    async def delete_group_offsets(
        self, group_id: str, partitions: Iterable[TopicPartition]
    ) -> Outcomes[TopicPartition, None]:
        """Forget committed offsets of topics that the group does not subscribe to::

        admin.delete_group_offsets("billing", [TopicPartition("clicks", 0)]).check()
        """
        topics = [
            OffsetDeleteRequestTopic(
                name=name, partitions=[OffsetDeleteRequestPartition(partition_index=index) for index in indexes]
            )
            for name, indexes in partitions_by_topic(partitions).items()
        ]

        async def attempt() -> OffsetDeleteResponse:
            request = OffsetDeleteRequest(group_id=group_id, topics=topics)
            response: OffsetDeleteResponse = await self._ask_coordinator(group_id, request)
            if response.error_code:
                raise broker_error(response.error_code, f"deleting offsets of {group_id}")
            return response

        response = await self._retry(attempt, f"deleting offsets of {group_id}")
        codes = {
            TopicPartition(topic.name, result.partition_index): result.error_code
            for topic in response.topics
            for result in topic.partitions
        }
        return _by_code(codes, f"offset of {group_id} for")

    async def _ask_coordinator(self, group_id: str, request: Request) -> Any:
        try:
            return await self._cluster.send(await self._cluster.coordinators.find(group_id), request)
        except KafkaError as error:
            note_coordinator_error(self._cluster, group_id, error)
            raise

    async def _each(self, group_ids: Iterable[str], ask: Callable[[str], Awaitable[T]]) -> Outcomes[str, T]:
        """Ask about every group at its own coordinator."""
        outcomes: Outcomes[str, T] = Outcomes()

        async def one(group_id: str) -> None:
            async def attempt() -> T:
                try:
                    return await ask(group_id)
                except RetriableError as error:
                    note_coordinator_error(self._cluster, group_id, error)
                    raise

            try:
                outcomes.succeed(group_id, await self._retry(attempt, f"group {group_id}"))
            except KafkaError as error:
                outcomes.fail(group_id, error)

        await asyncio.gather(*map(one, dict.fromkeys(group_ids)))
        return outcomes


def _by_code(codes: Mapping[TopicPartition, int], what: str) -> Outcomes[TopicPartition, None]:
    outcomes: Outcomes[TopicPartition, None] = Outcomes()
    for partition, code in codes.items():
        if code != ErrorCode.NONE:
            outcomes.fail(partition, broker_error(code, f"{what} {partition}"))
        else:
            outcomes.succeed(partition, None)
    return outcomes


def _description(group: DescribedGroup, coordinator: int) -> GroupDescription:
    is_consumer = group.protocol_type == CONSUMER
    return GroupDescription(
        group.group_id,
        group.group_state,
        group.protocol_type,
        group.protocol_data,
        coordinator,
        tuple(_member(member, is_consumer) for member in group.members),
    )


def _member(member: DescribedGroupMember, is_consumer: bool) -> MemberDescription:
    assignment = _assignment(member.member_assignment) if is_consumer else frozenset()
    return MemberDescription(
        member.member_id, member.group_instance_id, member.client_id, member.client_host, assignment
    )


def _assignment(encoded: bytes) -> frozenset[TopicPartition]:
    """What a member was assigned; nothing where the bytes are another program's."""
    if not encoded:
        return frozenset()
    try:
        assignment, _ = decode_versioned(ConsumerProtocolAssignment, encoded, newer_as_latest=True)
    except DecodeError:
        return frozenset()
    return frozenset(
        TopicPartition(topic.topic, partition)
        for topic in assignment.assigned_partitions
        for partition in topic.partitions
    )
