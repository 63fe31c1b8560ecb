"""Range: each topic's partitions in order, cut into as many ranges as there are members; the first get one more.

Topics with the same partitions and the same members are cut alike, so that one member gets partition 3 of all of them.
"""

from collections.abc import Mapping

from ottla.clients.consumer.assignors.base import Assignment, Subscription, subscribers_by_topic
from ottla.model import TopicPartition


class RangeAssignor:
    name = "range"
    is_cooperative = False

    def user_data(self, owned: tuple[TopicPartition, ...], generation_id: int) -> bytes | None:
        return None

    def assign(self, partitions: Mapping[str, int], members: Mapping[str, Subscription]) -> Assignment:
        assignment: Assignment = {member_id: [] for member_id in members}
        for topic, subscribers in sorted(subscribers_by_topic(members).items()):
            count = partitions.get(topic, 0)
            each, extra = divmod(count, len(subscribers))
            start = 0
            for index, member_id in enumerate(subscribers):
                end = start + each + (index < extra)
                assignment[member_id].extend(TopicPartition(topic, partition) for partition in range(start, end))
                start = end
        return assignment
