"""KIP-392: a consumer with a rack reads from the replica there, and from the leader when that replica is gone."""

from collections.abc import Iterator

import pytest

import ottla
from ottla.testing import EmbeddedBroker
from support.eventually import eventually

SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
PARTITION = ottla.TopicPartition("t", 0)


@pytest.fixture
def cluster() -> Iterator[EmbeddedBroker]:
    """Broker 0 leads the topic's partition, broker 1 has a replica in rack `far`."""
    with EmbeddedBroker(brokers=2, properties={"replica.selector.class": SELECTOR, "broker.rack": "near"}) as running:
        running.brokers[1].stop()
        running.brokers[1].properties["broker.rack"] = "far"
        running.brokers[1].start()
        with ottla.Admin(running.bootstrap_servers) as admin:
            eventually(lambda: len(admin.describe_cluster().brokers) == 2)
            admin.create_topics([ottla.NewTopic("t", assignment={0: [0, 1]})]).check()
        yield running


def write(cluster: EmbeddedBroker, value: bytes) -> None:
    with ottla.Producer(cluster.brokers[0].address) as producer:
        producer.send("t", value).result(20)


def test_the_replica_of_the_rack_is_read_while_it_is_there(cluster: EmbeddedBroker) -> None:
    config = {"auto_offset_reset": "earliest", "fetch_max_wait_ms": 50}
    with ottla.Consumer(cluster.bootstrap_servers, client_rack="far", **config) as consumer:
        consumer.assign([PARTITION])
        write(cluster, b"1")
        assert [record.value for record in consumer.poll(20_000)] == [b"1"]
        state = consumer._inner.states[PARTITION]
        # The leader names the replica as soon as that is in sync: maybe not with its first answer.
        eventually(lambda: consumer.poll(50) == [] and state.preferred_replica == 1)
        cluster.brokers[1].stop()
        write(cluster, b"2")
        assert [record.value for record in consumer.poll(20_000)] == [b"2"]
        assert state.preferred_replica != 1


def test_a_replica_that_started_after_the_consumer_is_read_from_too(cluster: EmbeddedBroker) -> None:
    cluster.brokers[1].stop()
    with ottla.Admin(cluster.brokers[0].address) as admin:
        eventually(lambda: len(admin.describe_cluster().brokers) == 1)
    with ottla.Consumer(cluster.brokers[0].address, client_rack="far", fetch_max_wait_ms=50) as consumer:
        consumer.assign([PARTITION])
        assert consumer.poll(200) == []  # it has metadata now, without broker 1
        assert 1 not in consumer._inner.cluster.snapshot.brokers
        cluster.brokers[1].start()
        eventually(lambda: consumer.poll(50) == [] and consumer._inner.states[PARTITION].preferred_replica == 1)


def test_a_consumer_of_no_rack_reads_from_the_leader(cluster: EmbeddedBroker) -> None:
    with ottla.Consumer(cluster.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([PARTITION])
        write(cluster, b"1")
        assert [record.value for record in consumer.poll(20_000)] == [b"1"]
        assert consumer._inner.states[PARTITION].preferred_replica == -1
