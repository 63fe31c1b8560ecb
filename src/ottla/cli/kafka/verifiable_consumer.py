"""`kafka-verifiable-consumer`: reads as a member of a group and tells in JSON what it got, was assigned, committed."""

from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import make_tool_target
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.kafka.verifiable_producer import print_event
from ottla.errors import KafkaError
from ottla.model import TopicPartition

if TYPE_CHECKING:
    from ottla import Consumer
    from ottla.clients.consumer.record import ConsumerRecord

_POLL_MS = 200


def main(arguments: Sequence[str]) -> int:
    given = _parse(arguments)
    target = make_tool_target(given.bootstrap_server, given.consumer_config)
    config: dict[str, Any] = {
        "group_id": given.group_id,
        "auto_offset_reset": given.reset_policy,
        "enable_auto_commit": given.enable_autocommit,
        "session_timeout_ms": given.session_timeout,
    }
    if given.group_instance_id:
        config["group_instance_id"] = given.group_instance_id
    if given.assignment_strategy:
        config["partition_assignment_strategy"] = given.assignment_strategy
    with interruptible(), target.consumer(**config) as consumer:
        print_event("startup_complete")
        try:
            _Run(consumer, given).read()
        finally:
            print_event("shutdown_complete")
    return 0


def _parse(arguments: Sequence[str]) -> Namespace:
    options = ToolOptions("kafka-verifiable-consumer", "A member of a group that tells everything in JSON.")
    options.value("--bootstrap-server", "--broker-list", required=True)
    options.value("--topic", required=True)
    options.value("--group-id", required=True)
    options.value("--group-instance-id")
    options.value("--max-messages", type=int, default=-1)
    options.value("--session-timeout", type=int, default=30_000)
    options.flag("--verbose", help="a line for every record")
    options.flag("--enable-autocommit")
    options.value("--reset-policy", default="earliest")
    options.value("--assignment-strategy")
    options.value("--consumer.config", help="file with properties of the consumer")
    options.value("--group-protocol", help="accepted: classic")
    options.value("--group-remote-assignor", help="accepted, without effect")
    return options.parse(arguments)


class _Run:
    def __init__(self, consumer: "Consumer", given: Namespace) -> None:
        self._consumer = consumer
        self._given = given
        self._left = given.max_messages

    def on_assigned(self, partitions: Iterable[TopicPartition]) -> None:
        print_event("partitions_assigned", partitions=_named(partitions))

    def on_revoked(self, partitions: Iterable[TopicPartition]) -> None:
        print_event("partitions_revoked", partitions=_named(partitions))

    def read(self) -> None:
        self._consumer.subscribe([self._given.topic], listener=self)
        while self._left != 0:
            records = self._consumer.poll(_POLL_MS)
            if self._left > 0:
                records = records[: self._left]
                self._left -= len(records)
            if records:
                self._tell(records)
                if not self._given.enable_autocommit:
                    self._commit(records)

    def _tell(self, records: "list[ConsumerRecord]") -> None:
        by_partition: dict[TopicPartition, list[int]] = {}
        for record in records:
            by_partition.setdefault(record.topic_partition, []).append(record.offset)
            if self._given.verbose:
                print_event("record_data", key=_text(record.key), value=_text(record.value), topic=record.topic,
                            partition=record.partition, offset=record.offset)  # fmt: skip
        print_event(
            "records_consumed",
            count=len(records),
            partitions=[
                {**_name(partition), "count": len(offsets), "minOffset": offsets[0], "maxOffset": offsets[-1]}
                for partition, offsets in by_partition.items()
            ],
        )

    def _commit(self, records: "list[ConsumerRecord]") -> None:
        offsets = {record.topic_partition: record.offset + 1 for record in records}
        told = [{**_name(partition), "offset": offset} for partition, offset in offsets.items()]
        try:
            self._consumer.commit(offsets)
        except KafkaError as error:
            print_event("offsets_committed", offsets=told, success=False, error=str(error))
        else:
            print_event("offsets_committed", offsets=told, success=True)


def _name(partition: TopicPartition) -> dict[str, Any]:
    return {"topic": partition.topic, "partition": partition.partition}


def _named(partitions: Iterable[TopicPartition]) -> list[dict[str, Any]]:
    return [_name(partition) for partition in sorted(partitions)]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")
