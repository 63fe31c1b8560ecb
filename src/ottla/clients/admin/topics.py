"""Topics: list, describe, create, delete, add partitions. And the cluster itself."""

from collections.abc import Iterable, Mapping
from typing import Any

from ottla.clients.admin.calls import AdminCalls
from ottla.clients.admin.outcomes import Outcomes
from ottla.clients.admin.types import (
    DEFAULT_COUNT,
    Broker,
    ClusterDescription,
    CreatedTopic,
    NewTopic,
    PartitionDescription,
    TopicDescription,
    TopicListing,
)
from ottla.clients.errors import broker_error
from ottla.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from ottla.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
)
from ottla.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from ottla.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseTopic,
)


class TopicCalls(AdminCalls):
    async def describe_cluster(self) -> ClusterDescription:
        """The cluster's id, controller and brokers::

        admin.describe_cluster().brokers[0].host
        """
        response = await self._metadata([])
        brokers = tuple(Broker(node.node_id, node.host, node.port, node.rack) for node in response.brokers)
        return ClusterDescription(cluster_id=response.cluster_id, controller_id=response.controller_id, brokers=brokers)

    async def list_topics(self, *, include_internal: bool = False) -> dict[str, TopicListing]:
        """All topics by name::

        "clicks" in admin.list_topics()
        """
        response = await self._metadata(None)
        return {
            topic.name: TopicListing(topic.name, topic.topic_id, topic.is_internal)
            for topic in sorted(response.topics, key=lambda topic: topic.name or "")
            if topic.name is not None and (include_internal or not topic.is_internal)
        }

    async def describe_topics(self, names: Iterable[str]) -> Outcomes[str, TopicDescription]:
        """Partitions with their leaders and replicas::

        admin.describe_topics(["clicks"])["clicks"].partitions[0].leader
        """
        outcomes: Outcomes[str, TopicDescription] = Outcomes()
        for topic in (await self._metadata(list(names))).topics:
            assert topic.name is not None, "topics were asked for by name"
            if topic.error_code:
                outcomes.fail(topic.name, broker_error(topic.error_code, f"topic {topic.name}"))
            else:
                outcomes.succeed(topic.name, _describe(topic))
        return outcomes

    async def _metadata(self, names: list[str] | None) -> MetadataResponse:
        topics = None if names is None else [MetadataRequestTopic(name=name) for name in names]
        request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)
        response: MetadataResponse = await self._ask_any(request, "describing the cluster")
        return response

    async def create_topics(
        self, topics: Iterable[NewTopic], *, validate_only: bool = False
    ) -> Outcomes[str, CreatedTopic]:
        """Create topics; those that cannot be are in the errors of the outcome::

        outcomes = admin.create_topics([NewTopic("clicks", 12, 3, {"retention.ms": "86400000"})])
        outcomes.check()
        """
        request = CreateTopicsRequest(
            topics=[_creatable(topic) for topic in topics], timeout_ms=self._timeout_ms, validate_only=validate_only
        )
        response = await self._ask_controller(
            request, "creating topics", lambda response: [topic.error_code for topic in response.topics]
        )
        outcomes: Outcomes[str, CreatedTopic] = Outcomes()
        for topic in response.topics:
            if topic.error_code:
                outcomes.fail(topic.name, broker_error(topic.error_code, f"topic {topic.name}", topic.error_message))
            else:
                outcomes.succeed(topic.name, _created(topic))
        return outcomes

    async def create_topic(
        self,
        name: str,
        partitions: int = DEFAULT_COUNT,
        replication_factor: int = DEFAULT_COUNT,
        configs: Mapping[str, str] | None = None,
    ) -> CreatedTopic:
        """Create one topic, or raise why it cannot be::

        admin.create_topic("clicks", partitions=12, configs={"cleanup.policy": "compact"})
        """
        outcomes = await self.create_topics([NewTopic(name, partitions, replication_factor, configs or {})])
        return outcomes[name]

    async def delete_topics(self, names: Iterable[str]) -> Outcomes[str, None]:
        """Delete topics with all their records::

        admin.delete_topics(["clicks"]).check()
        """
        wanted = list(names)
        request = DeleteTopicsRequest(
            topics=[DeleteTopicState(name=name) for name in wanted], topic_names=wanted, timeout_ms=self._timeout_ms
        )
        response = await self._ask_controller(
            request, "deleting topics", lambda response: [topic.error_code for topic in response.responses]
        )
        return _plain_outcomes(response.responses)

    async def create_partitions(self, counts: Mapping[str, int], *, validate_only: bool = False) -> Outcomes[str, None]:
        """Let topics have more partitions, up to the counts given::

        admin.create_partitions({"clicks": 24}).check()
        """
        request = CreatePartitionsRequest(
            topics=[CreatePartitionsTopic(name=name, count=count, assignments=None) for name, count in counts.items()],
            timeout_ms=self._timeout_ms,
            validate_only=validate_only,
        )
        response = await self._ask_controller(
            request, "adding partitions", lambda response: [topic.error_code for topic in response.results]
        )
        return _plain_outcomes(response.results)


def _plain_outcomes(result: Iterable[Any]) -> Outcomes[str, None]:
    outcomes: Outcomes[str, None] = Outcomes()
    for topic in result:
        if topic.error_code:
            outcomes.fail(topic.name, broker_error(topic.error_code, f"topic {topic.name}", topic.error_message))
        else:
            outcomes.succeed(topic.name, None)
    return outcomes


def _creatable(topic: NewTopic) -> CreatableTopic:
    return CreatableTopic(
        name=topic.name,
        num_partitions=DEFAULT_COUNT if topic.assignment else topic.partitions,
        replication_factor=DEFAULT_COUNT if topic.assignment else topic.replication_factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=partition, broker_ids=list(brokers))
            for partition, brokers in topic.assignment.items()
        ],
        configs=[CreatableTopicConfig(name=name, value=str(value)) for name, value in topic.configs.items()],
    )


def _created(topic: CreatableTopicResult) -> CreatedTopic:
    configs = {config.name: config.value for config in topic.configs or ()}
    return CreatedTopic(topic.name, topic.topic_id, topic.num_partitions, topic.replication_factor, configs)


def _describe(topic: MetadataResponseTopic) -> TopicDescription:
    assert topic.name is not None, "topics were asked for by name"
    partitions = sorted(topic.partitions, key=lambda partition: partition.partition_index)
    return TopicDescription(
        topic.name,
        topic.topic_id,
        topic.is_internal,
        tuple(
            PartitionDescription(
                partition.partition_index,
                partition.leader_id,
                partition.leader_epoch,
                tuple(partition.replica_nodes),
                tuple(partition.isr_nodes),
                tuple(partition.offline_replicas),
            )
            for partition in partitions
        ),
    )
