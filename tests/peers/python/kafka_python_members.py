"""kafka-python's consumer in groups, behind a pipe."""

import logging
import time

from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from members import Events, serve_members
from pipe import python_settings, record_row

logging.disable(logging.CRITICAL)

# A poll that ends while the group forms may lose the assignment (kafka-python 3.0.12), so none is short.
POLL_MS = 1000
ASSIGNORS = {
    "range": RangePartitionAssignor,
    "roundrobin": RoundRobinPartitionAssignor,
    "sticky": StickyPartitionAssignor,
    "cooperative-sticky": CooperativeStickyAssignor,
}


class Listener(ConsumerRebalanceListener):
    def __init__(self, events):
        self._events = events

    def on_partitions_revoked(self, revoked):
        self._events.note("revoked", revoked)

    def on_partitions_assigned(self, assigned):
        self._events.note("assigned", assigned)

    def on_partitions_lost(self, lost):
        self._events.note("lost", lost)


class Member:
    def __init__(self, command):
        self.events = Events()
        settings = python_settings(command)
        strategy = settings.pop("partition_assignment_strategy", "range")
        self._consumer = KafkaConsumer(**settings, partition_assignment_strategy=[ASSIGNORS[strategy]])
        topics, pattern = command.get("topics") or (), command.get("pattern")
        self._consumer.subscribe(topics=topics, pattern=pattern, listener=Listener(self.events))

    def poll(self, count, timeout_s):
        rows, deadline = [], time.monotonic() + timeout_s
        while time.monotonic() < deadline and len(rows) < count:
            for records in self._consumer.poll(timeout_ms=POLL_MS).values():
                rows += [record_row(record, ()) for record in records]
        return rows

    def assignment(self):
        return self._consumer.assignment()

    def commit(self):
        self._consumer.commit()

    def commit_async(self):
        self._consumer.commit_async()

    def committed(self, topic, partition):
        found = self._consumer.committed(TopicPartition(topic, partition))
        return -1 if found is None else found

    def seek(self, topic, partition, offset):
        self._consumer.seek(TopicPartition(topic, partition), offset)

    def pause(self):
        self._consumer.pause(*self._consumer.assignment())

    def resume(self):
        self._consumer.resume(*self._consumer.assignment())

    def close(self):
        self._consumer.close()


if __name__ == "__main__":
    serve_members(Member)
