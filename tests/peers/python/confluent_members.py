"""librdkafka's consumer in groups, behind a pipe."""

import time

from confluent_kafka import Consumer, KafkaException, TopicPartition
from members import Events, serve_members
from pipe import to_hex

COMMON = {"log_level": 0, "broker.address.family": "v4"}
NOT_ERRORS = ("_PARTITION_EOF", "UNKNOWN_TOPIC_OR_PART")


class Member:
    def __init__(self, command):
        self.events = Events()
        self._consumer = Consumer({**COMMON, "bootstrap.servers": command["bootstrap"], **command["config"]})
        topics = command.get("topics") or ["^" + command["pattern"]]
        self._consumer.subscribe(
            topics,
            on_assign=lambda _, partitions: self.events.note("assigned", partitions),
            on_revoke=lambda _, partitions: self.events.note("revoked", partitions),
            on_lost=lambda _, partitions: self.events.note("lost", partitions),
        )

    def poll(self, count, timeout_s):
        rows, deadline = [], time.monotonic() + timeout_s
        while (left := deadline - time.monotonic()) > 0 and len(rows) < count:
            message = self._consumer.poll(min(left, 0.05))
            if message is not None and message.error() is None:
                rows.append(_row(message))
            elif message is not None and message.error().name() not in NOT_ERRORS:
                raise KafkaException(message.error())
        return rows

    def assignment(self):
        return self._consumer.assignment()

    def commit(self):
        self._consumer.commit(asynchronous=False)

    def commit_async(self):
        self._consumer.commit(asynchronous=True)

    def committed(self, topic, partition):
        (found,) = self._consumer.committed([TopicPartition(topic, partition)], timeout=20)
        return found.offset if found.offset >= 0 else -1

    def seek(self, topic, partition, offset):
        self._consumer.seek(TopicPartition(topic, partition, offset))

    def pause(self):
        self._consumer.pause(self._consumer.assignment())

    def resume(self):
        self._consumer.resume(self._consumer.assignment())

    def close(self):
        self._consumer.close()


def _row(message):
    place = {"topic": message.topic(), "partition": message.partition(), "offset": message.offset()}
    data = {"key": to_hex(message.key()), "value": to_hex(message.value())}
    return {**place, "timestamp": message.timestamp()[1], **data, "headers": []}


if __name__ == "__main__":
    serve_members(Member)
