"""The computation behind the sticky assignors: pure, from what members have to what they shall have.

Everybody keeps what they own, the rest goes one by one to whoever has least of those that want it, and then single
partitions move from a member that has at least two more than another to that one, as long as there are such. With the
same subscription for all that is: nobody has more than the average rounded up, and only what is over it moves.
"""

from collections.abc import Mapping

from ottla.clients.consumer.assignors.base import Assignment, Subscription, sorted_members, subscribers_by_topic
from ottla.model import TopicPartition


def balance(
    partitions: Mapping[str, int], members: Mapping[str, Subscription], owned: Mapping[str, set[TopicPartition]]
) -> Assignment:
    subscribers = {topic: found for topic, found in subscribers_by_topic(members).items() if topic in partitions}
    assignment = {member_id: sorted(owned[member_id]) for member_id in sorted_members(members)}
    taken = {partition for had in assignment.values() for partition in had}
    for topic in sorted(subscribers, key=lambda name: (len(subscribers[name]), name)):
        for index in range(partitions[topic]):
            partition = TopicPartition(topic, index)
            if partition not in taken:
                _least(assignment, subscribers[topic]).append(partition)
    while _move_one(assignment, subscribers):
        pass
    return {member_id: sorted(given) for member_id, given in assignment.items()}


def _least(assignment: Assignment, candidates: list[str]) -> list[TopicPartition]:
    return assignment[min(candidates, key=lambda member_id: len(assignment[member_id]))]


def _move_one(assignment: Assignment, subscribers: Mapping[str, list[str]]) -> bool:
    """One step towards balance; False when there is none left to take."""
    for member_id in sorted(assignment, key=lambda member: -len(assignment[member])):
        given = assignment[member_id]
        # From the end: what came last is the least likely to have been owned before.
        for position in range(len(given) - 1, -1, -1):
            receiver = _least(assignment, subscribers[given[position].topic])
            if len(receiver) + 1 < len(given):
                receiver.append(given.pop(position))
                return True
    return False
