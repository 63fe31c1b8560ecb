"""What the driver asks of a cluster, and what it is told when the cluster or a topic is not there."""

import socket

import pytest

from ottla.clients.errors import ClientTimeoutError, NoBrokerError
from ottla.errors.kafka import UnknownTopicOrPartitionError
from ottla.spark.offsets import ClusterOffsets
from ottla.spark.options import ClientOptions
from ottla.testing import EmbeddedBroker


def cluster_of(servers: str, **settings: str) -> ClusterOffsets:
    given = {name.replace("_", "."): value for name, value in settings.items()}
    return ClusterOffsets(ClientOptions.of({"bootstrap.servers": servers} | given))


def test_address_that_refuses_is_named_on_first_contact(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not after the minute that a cluster gets which has answered before."""
    monkeypatch.setattr("ottla.spark.offsets.FIRST_CONTACT_S_MAX", 0.1)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound and not listening: refuses, and nobody else gets the port
        address = f"127.0.0.1:{held.getsockname()[1]}"
        with cluster_of(address) as cluster, pytest.raises(NoBrokerError, match=address):
            cluster.partitions(["clicks"])


def test_cluster_that_has_answered_is_waited_for_as_long_as_the_options_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ottla.spark.offsets.FIRST_CONTACT_S_MAX", 0.0)
    with EmbeddedBroker() as broker:
        broker.create_topic("clicks")
        cluster = cluster_of(broker.bootstrap_servers, default_api_timeout_ms="300")
        cluster.partitions(["clicks"])
    cluster.close()  # a question that failed is asked again on new connections
    with cluster, pytest.raises(ClientTimeoutError, match="took longer than 300 ms"):
        cluster.partitions(["clicks"])


def test_topics_that_do_not_exist_are_named_with_what_was_meant(ottla_broker: EmbeddedBroker) -> None:
    ottla_broker.create_topic("page-views")
    with (
        cluster_of(ottla_broker.bootstrap_servers) as cluster,
        pytest.raises(UnknownTopicOrPartitionError) as raised,
    ):
        cluster.partitions(["page-veiws", "page-views", "zebras"])
    assert str(raised.value) == (
        "topic 'page-veiws' does not exist: did you mean 'page-views'?; topic 'zebras' does not exist"
    )
