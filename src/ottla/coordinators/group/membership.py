"""Who somebody is that calls itself a member."""

from ottla.coordinators.group.group import Group
from ottla.errors import ErrorCode


def member_problem(group: Group, member_id: str, instance_id: str | None) -> ErrorCode:
    """NONE for a member of the group. An instance id must be known, and be this member's."""
    if instance_id is not None:
        current_id = group.static_members.get(instance_id)
        if current_id is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if current_id != member_id:
            return ErrorCode.FENCED_INSTANCE_ID
    return ErrorCode.NONE if member_id in group.members else ErrorCode.UNKNOWN_MEMBER_ID


def generation_problem(group: Group, generation: int, member_id: str, instance_id: str | None) -> ErrorCode:
    """NONE for a member of the current generation."""
    error = member_problem(group, member_id, instance_id)
    if error is ErrorCode.NONE and generation != group.generation:
        return ErrorCode.ILLEGAL_GENERATION
    return error
