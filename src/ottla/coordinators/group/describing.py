"""How groups are shown: ListGroups and DescribeGroups."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.states import GroupState

CLASSIC = "classic"


class GroupOverview(NamedTuple):
    group_id: str
    protocol_type: str
    state: str
    type: str = CLASSIC


class MemberDescription(NamedTuple):
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    metadata: bytes
    assignment: bytes


class GroupDescription(NamedTuple):
    group_id: str
    state: str
    protocol_type: str = ""
    protocol_name: str = ""
    members: tuple[MemberDescription, ...] = ()


def overview(group: Group) -> GroupOverview:
    return GroupOverview(group.group_id, group.protocol_type or "", group.state.value)


def listed(groups: Iterable[GroupOverview], states: Collection[str], types: Collection[str]) -> list[GroupOverview]:
    """No filter lets everything pass. Names are compared without regard to case."""
    wanted_states = {state.lower() for state in states}
    wanted_types = {type_.lower() for type_ in types}
    return [
        group
        for group in groups
        if (not states or group.state.lower() in wanted_states) and (not types or group.type.lower() in wanted_types)
    ]


def describe(group: Group) -> GroupDescription:
    """Metadata and assignments are shown only where they hold: in a STABLE group."""
    is_stable = group.state is GroupState.STABLE
    name = group.protocol_name if is_stable else None
    members = tuple(
        MemberDescription(
            member.member_id,
            member.instance_id,
            member.client_id,
            member.client_host,
            member.metadata(name) if name is not None else b"",
            member.assignment if is_stable else b"",
        )
        for member in group.members.values()
    )
    return GroupDescription(group.group_id, group.state.value, group.protocol_type or "", name or "", members)


def unknown_group(group_id: str) -> GroupDescription:
    return GroupDescription(group_id, GroupState.DEAD.value)
