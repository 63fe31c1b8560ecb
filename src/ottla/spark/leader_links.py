"""Links to the leaders of partitions, for one task: looked up once a topic, used again for the task's next range.

A micro-batch may give a task dozens of small ranges, and to connect for each would cost more than to read it. Whoever
meets an error closes its link and has the topic's leaders looked up anew (`forget`).
"""

from collections.abc import Callable
from types import TracebackType
from typing import Self
from uuid import UUID

from ottla.clients.addresses import Address
from ottla.clients.errors import NoBrokerError, broker_error
from ottla.errors import KafkaError
from ottla.errors.kafka import LeaderNotAvailableError, UnknownTopicOrPartitionError
from ottla.model import ZERO_UUID, TopicPartition
from ottla.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)
from ottla.spark.broker_link import BrokerLink
from ottla.spark.options import ClientOptions


class LeaderLinks:
    def __init__(self, options: ClientOptions) -> None:
        self._options = options
        self._settings = options.connection
        self._bootstrap = options.bootstrap
        self._metadata: dict[str, MetadataResponse] = {}
        self._idle: dict[Address, BrokerLink] = {}

    def borrow(self, partition: TopicPartition) -> BrokerLink:
        """A link to the leader, the caller's until it is given back or closed.

        A retriable KafkaError while there is no leader, or it cannot be reached.
        """
        metadata = self._metadata.get(partition.topic)
        if metadata is None:
            metadata = self._metadata[partition.topic] = self._ask_any(partition.topic)
        return self._link(_leader_address(metadata, partition))

    def topic_id(self, topic: str) -> UUID:
        """The id of a topic (KIP-516); zero where none is known now."""
        metadata = self._metadata.get(topic)
        found = None if metadata is None else _topic(metadata, topic)
        return ZERO_UUID if found is None else found.topic_id

    def give_back(self, link: BrokerLink) -> None:
        """For the next range. Nothing may be in flight on it."""
        other = self._idle.setdefault(link.address, link)
        if other is not link:
            link.close()

    def forget(self, topic: str) -> None:
        """Its leaders may be others now."""
        self._metadata.pop(topic, None)

    def close(self) -> None:
        for link in self._idle.values():
            link.close()
        self._idle.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _link(self, address: Address) -> BrokerLink:
        return self._idle.pop(address, None) or BrokerLink(address, self._settings)

    def _ask_any(self, topic: str) -> MetadataResponse:
        """Metadata of the first broker that responds: one that is linked, or one of the bootstrap addresses."""
        request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        failures = []
        for address in dict.fromkeys((*self._idle, *self._bootstrap)):
            try:
                return self._ask(address, lambda link: link.ask(request))
            except KafkaError as error:
                if not error.retriable:
                    raise
                failures.append(str(error))
        raise NoBrokerError(f"no broker answers ({'; '.join(failures)})")

    def _ask(self, address: Address, ask: Callable[[BrokerLink], MetadataResponse]) -> MetadataResponse:
        link = self._link(address)
        try:
            response = ask(link)
        except BaseException:
            link.close()
            raise
        self.give_back(link)
        return response


def _topic(metadata: MetadataResponse, name: str) -> MetadataResponseTopic | None:
    return next((topic for topic in metadata.topics if topic.name == name), None)


def _leader_address(metadata: MetadataResponse, partition: TopicPartition) -> Address:
    topic = _topic(metadata, partition.topic)
    if topic is None or topic.error_code:
        code = topic.error_code if topic is not None else UnknownTopicOrPartitionError.code
        raise broker_error(code, f"topic {partition.topic}")
    found = next((found for found in topic.partitions if found.partition_index == partition.partition), None)
    if found is None:
        raise UnknownTopicOrPartitionError(f"{partition} does not exist")
    leader = next((broker for broker in metadata.brokers if broker.node_id == found.leader_id), None)
    if leader is None:
        raise LeaderNotAvailableError(f"{partition} has no leader")
    return Address(leader.host, leader.port)
