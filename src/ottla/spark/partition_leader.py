"""Finding the leader of one partition and linking up with it: what a task does first, and when the leader moves."""

from ottla.clients.addresses import Address
from ottla.clients.errors import NoBrokerError, broker_error
from ottla.errors import KafkaError
from ottla.errors.kafka import LeaderNotAvailableError, UnknownTopicOrPartitionError
from ottla.model import TopicPartition
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from ottla.spark.broker_link import BrokerLink
from ottla.spark.options import ClientOptions


def link_to_leader(options: ClientOptions, partition: TopicPartition) -> BrokerLink:
    """A link to the partition's leader. A retriable KafkaError while there is none, or it cannot be reached."""
    metadata = _ask_any(options, partition.topic)
    return BrokerLink(_leader_address(metadata, partition), options.connection)


def _ask_any(options: ClientOptions, topic: str) -> MetadataResponse:
    """Metadata of the first bootstrap broker that answers."""
    request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
    failures = []
    for address in options.bootstrap:
        try:
            link = BrokerLink(address, options.connection)
            try:
                response: MetadataResponse = link.ask(request)
                return response
            finally:
                link.close()
        except KafkaError as error:
            if not error.retriable:
                raise
            failures.append(str(error))
    raise NoBrokerError(f"no broker answers ({'; '.join(failures)})")


def _leader_address(metadata: MetadataResponse, partition: TopicPartition) -> Address:
    topic = next((topic for topic in metadata.topics if topic.name == partition.topic), None)
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
