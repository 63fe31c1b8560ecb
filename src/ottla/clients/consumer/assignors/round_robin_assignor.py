"""Round robin: all partitions of all topics dealt out one by one, each to the next member that wants its topic."""

from collections.abc import Mapping
from itertools import cycle

from ottla.clients.consumer.assignors.base import Assignment, Subscription, sorted_members
from ottla.model import TopicPartition


class RoundRobinAssignor:
    name = "roundrobin"
    is_cooperative = False

    def user_data(self, owned: tuple[TopicPartition, ...], generation_id: int) -> bytes | None:
        return None

    def assign(self, partitions: Mapping[str, int], members: Mapping[str, Subscription]) -> Assignment:
        assignment: Assignment = {member_id: [] for member_id in members}
        wanted = {topic for subscription in members.values() for topic in subscription.topics}
        turns = cycle(sorted_members(members))
        for topic in sorted(wanted & partitions.keys()):
            for partition in range(partitions[topic]):
                member_id = next(member for member in turns if topic in members[member].topics)
                assignment[member_id].append(TopicPartition(topic, partition))
        return assignment
