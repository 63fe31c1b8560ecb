"""Which broker of a cluster is to be asked: the controller, the leader of a partition, the coordinator of a group."""

from collections.abc import Mapping

from ottla.errors import ErrorCode
from ottla.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from support.eventually import eventually
from support.raw_group import await_coordinator
from support.raw_kafka import RawKafka, ask, await_leaders


def create_topic(
    address: str, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None, replicas: int = 1
) -> None:
    """As soon as there is a controller that does it. `address`: any broker of the cluster."""
    wanted = CreatableTopic(
        name=topic,
        num_partitions=partitions,
        replication_factor=replicas,
        configs=[CreatableTopicConfig(name=name, value=value) for name, value in (configs or {}).items()],
    )

    def is_created() -> bool:
        metadata = ask(address, MetadataRequest(topics=[]), 9)
        brokers = {broker.node_id: f"{broker.host}:{broker.port}" for broker in metadata.brokers}
        controller = brokers.get(metadata.controller_id, address)
        answer = ask(controller, CreateTopicsRequest(topics=[wanted], timeout_ms=5000), 5)
        return answer.topics[0].error_code in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS)

    eventually(is_created)
    await_leaders(address, topic, partitions)


def leader_address(address: str, topic: str, partition: int = 0) -> str:
    """As the broker at `address` knows it, where its clients reach it."""

    def find() -> str | None:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        answer = ask(address, request, 9)
        leaders = {part.partition_index: part.leader_id for part in answer.topics[0].partitions}
        brokers = {broker.node_id: f"{broker.host}:{broker.port}" for broker in answer.brokers}
        return brokers.get(leaders.get(partition, -1))

    return eventually(find)


def coordinator_address(address: str, group: str) -> str:
    """When it has loaded the group."""

    def find() -> str | None:
        answer = ask(address, FindCoordinatorRequest(key=group), 1)
        return None if answer.error_code else f"{answer.host}:{answer.port}"

    found = eventually(find)
    with RawKafka(found) as raw:
        await_coordinator(raw, group)
    return found
