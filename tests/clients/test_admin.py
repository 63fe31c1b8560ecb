"""The admin client on a real broker."""

import asyncio

import pytest

import ottla
from ottla import TopicPartition
from ottla.clients.admin.types import (
    AlterOperation,
    ConfigResource,
    ConfigSource,
    ElectionType,
    NewTopic,
    OffsetAndMetadata,
    OffsetSpec,
)
from ottla.clients.errors import ClientClosedError, ClientTimeoutError
from ottla.errors import ConfigError
from ottla.errors.kafka import (
    ElectionNotNeededError,
    GroupIdNotFoundError,
    InvalidConfigError,
    InvalidPartitionsError,
    InvalidReplicationFactorError,
    OffsetOutOfRangeError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
)
from support.eventually import eventually
from support.scripted_broker import ScriptedBroker


def test_cluster_is_described_with_its_brokers(admin, broker_address):
    cluster = admin.describe_cluster()
    host, port = broker_address.split(":")
    assert [(broker.host, broker.port) for broker in cluster.brokers] == [(host, int(port))]
    assert cluster.controller_id == cluster.brokers[0].node_id
    assert len(cluster.cluster_id) == 22


def test_a_topic_is_created_listed_described_and_deleted(admin, name):
    created = admin.create_topic(name, partitions=3, configs={"retention.ms": "60000"})
    assert (created.partitions, created.replication_factor) == (3, 1)
    assert created.configs["retention.ms"] == "60000"
    assert admin.list_topics()[name].topic_id == created.topic_id
    described = admin.describe_topics([name])[name]
    assert [partition.partition for partition in described.partitions] == [0, 1, 2]
    assert all(partition.leader == partition.replicas[0] for partition in described.partitions)
    admin.delete_topics([name]).check()
    error = eventually(lambda: admin.describe_topics([name]).errors.get(name))
    assert isinstance(error, UnknownTopicOrPartitionError)


def test_each_topic_has_its_own_error(admin, name, topic):
    other = f"{name}-other"
    outcomes = admin.create_topics(
        [NewTopic(topic), NewTopic(other, 1), NewTopic("wide", 1, 7), NewTopic("odd", 1, 1, {"retention.ms": "soon"})]
    )
    assert set(outcomes.results) == {other}
    assert {name: type(error) for name, error in outcomes.errors.items()} == {
        topic: TopicAlreadyExistsError,
        "wide": InvalidReplicationFactorError,
        "odd": InvalidConfigError,
    }
    with pytest.raises(TopicAlreadyExistsError):
        outcomes[topic]
    with pytest.raises(TopicAlreadyExistsError):
        outcomes.check()


def test_a_validated_topic_is_not_created(admin, name):
    admin.create_topics([NewTopic(name, 1)], validate_only=True).check()
    assert name not in admin.list_topics()


def partition_count(admin, topic):
    """0 while not every broker has heard of the topic."""
    described = admin.describe_topics([topic])
    return len(described[topic].partitions) if topic not in described.errors else 0


def test_an_explicit_assignment_is_kept(admin, name):
    (broker,) = admin.describe_cluster().brokers
    assignment = {0: [broker.node_id], 1: [broker.node_id]}
    admin.create_topics([NewTopic(name, assignment=assignment)]).check()
    eventually(lambda: partition_count(admin, name) == 2)


def test_partitions_are_added_and_never_taken_away(admin, topic):
    admin.create_partitions({topic: 3}).check()
    eventually(lambda: len(admin.describe_topics([topic])[topic].partitions) == 3)
    assert isinstance(admin.create_partitions({topic: 2}).errors[topic], InvalidPartitionsError)


def test_configs_are_set_appended_and_reset(admin, topic):
    resource = ConfigResource.topic(topic)

    def entry(key):
        return admin.describe_configs([resource], include_synonyms=True)[resource][key]

    assert entry("cleanup.policy").is_default
    changes = {"retention.ms": "1234", "cleanup.policy": (AlterOperation.APPEND, "compact")}
    admin.alter_configs({resource: changes}).check()
    assert (entry("retention.ms").value, entry("retention.ms").source) == ("1234", ConfigSource.DYNAMIC_TOPIC_CONFIG)
    assert entry("cleanup.policy").value == "delete,compact"
    admin.alter_configs({resource: {"retention.ms": None}}).check()
    assert entry("retention.ms").value == "604800000"
    assert isinstance(admin.alter_configs({resource: {"retention.ms": "never"}}).errors[resource], InvalidConfigError)


def test_a_broker_describes_its_own_configuration(admin):
    (broker,) = admin.describe_cluster().brokers
    resource = ConfigResource.broker(broker.node_id)
    entries = admin.describe_configs([resource], names=["num.partitions"], include_documentation=True)[resource]
    assert set(entries) == {"num.partitions"}
    assert entries["num.partitions"].documentation


def test_offsets_of_a_group_are_set_listed_and_deleted(admin, name, topic):
    partition = TopicPartition(topic, 0)
    admin.alter_group_offsets(name, {partition: OffsetAndMetadata(7, "by hand")}).check()
    assert admin.list_group_offsets(name) == {partition: OffsetAndMetadata(7, "by hand")}
    assert admin.list_group_offsets(name, [TopicPartition(topic, 5)]) == {}
    assert name in [group.group_id for group in admin.list_groups()]
    assert admin.describe_groups([name])[name].state == "Empty"
    admin.delete_group_offsets(name, [partition]).check()
    assert admin.list_group_offsets(name) == {}


def test_a_group_is_deleted_once(admin, name, topic):
    admin.alter_group_offsets(name, {TopicPartition(topic, 0): 1}).check()
    admin.delete_groups([name]).check()
    assert isinstance(admin.delete_groups([name]).errors[name], GroupIdNotFoundError)
    assert admin.describe_groups([name])[name].state == "Dead"


def test_offsets_of_an_empty_partition_are_zero(admin, topic):
    partition, absent = TopicPartition(topic, 0), TopicPartition(topic, 1)
    outcomes = admin.list_offsets({partition: OffsetSpec.LATEST, absent: OffsetSpec.EARLIEST})
    assert outcomes[partition].offset == 0
    assert isinstance(outcomes.errors[absent], UnknownTopicOrPartitionError)
    assert admin.list_offsets({partition: 1_700_000_000_000})[partition].offset == -1


def test_records_past_the_end_cannot_be_deleted(admin, topic):
    partition = TopicPartition(topic, 0)
    assert admin.delete_records({partition: -1})[partition] == 0
    assert isinstance(admin.delete_records({partition: 5}).errors[partition], OffsetOutOfRangeError)


@pytest.mark.usefixtures("only_kafka")
def test_election_and_reassignment_of_one_replica_change_nothing(admin, topic):
    partition = TopicPartition(topic, 0)
    (broker,) = admin.describe_cluster().brokers
    assert isinstance(
        admin.elect_leaders(ElectionType.PREFERRED, [partition]).errors[partition], ElectionNotNeededError
    )
    admin.alter_partition_reassignments({partition: [broker.node_id]}).check()
    assert admin.list_partition_reassignments([partition]) == {}


def test_log_directories_name_every_replica(admin, topic):
    (broker,) = admin.describe_cluster().brokers
    partition = TopicPartition(topic, 0)

    def found():
        (directory,) = admin.describe_log_dirs()[broker.node_id].values()
        return directory if partition in directory.replicas else None

    directory = eventually(found)
    assert directory.replicas[partition].size_bytes == 0
    assert directory.total_bytes > 0


def test_the_admin_of_aio_makes_the_same_calls(broker_address, topic):
    async def topics():
        from ottla import aio

        async with aio.Admin(broker_address) as client:
            return await client.list_topics()

    assert topic in asyncio.run(topics())


def test_an_unknown_key_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="request_timout_ms: did you mean request_timeout_ms"):
        ottla.Admin("localhost:9092", request_timout_ms=1)


def test_a_cluster_that_does_not_answer_is_a_timeout(free_address):
    with ottla.Admin(free_address, default_api_timeout_ms=300) as client, pytest.raises(ClientTimeoutError):
        client.list_topics()


def test_a_closed_admin_says_so(broker_address):
    client = ottla.Admin(broker_address)
    client.close()
    client.close()
    with pytest.raises(ClientClosedError):
        client.list_topics()


def test_a_cluster_that_has_no_controller_yet_is_waited_for():
    with ScriptedBroker() as broker, ottla.Admin(broker.address, retry_backoff_ms=1) as admin:
        broker.controllers.extend([-1, -1, 7])  # nobody, nobody, and one that is not up
        admin.create_topics([NewTopic("t", 1)]).check()
        assert broker.metadata_requests == 4
    with ScriptedBroker() as broker, ottla.Admin(broker.address, default_api_timeout_ms=50) as admin:
        broker.controllers.extend([-1] * 100)
        with pytest.raises(ClientTimeoutError, match="the cluster has no controller now"):
            admin.create_topics([NewTopic("t", 1)]).check()
