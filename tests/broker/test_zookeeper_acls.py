"""`zookeeper.set.acl` and the broker's credential, seen from outside by a real ZooKeeper client."""

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import NoAuthError

from ottla.testing import EmbeddedBroker

CREDENTIAL = "kafka:secret"


def test_what_a_broker_creates_is_its_own_to_change_and_open_to_read() -> None:
    properties = {"zookeeper.set.acl": "true", "ottla.zookeeper.auth": CREDENTIAL}
    with EmbeddedBroker(properties=properties) as broker:
        broker.create_topic("clicks", 1)
        stranger = KazooClient(broker.zookeeper_connect)
        owner = KazooClient(broker.zookeeper_connect, auth_data=[("digest", CREDENTIAL)])
        stranger.start()
        owner.start()
        try:
            topic, _ = stranger.get("/brokers/topics/clicks")
            with pytest.raises(NoAuthError):
                stranger.set("/brokers/topics/clicks", topic)
            owner.set("/brokers/topics/clicks", topic)
        finally:
            for client in (stranger, owner):
                client.stop()
                client.close()


def test_without_it_everybody_may_change_everything() -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("clicks", 1)
        stranger = KazooClient(broker.zookeeper_connect)
        stranger.start()
        try:
            topic, _ = stranger.get("/brokers/topics/clicks")
            stranger.set("/brokers/topics/clicks", topic)
        finally:
            stranger.stop()
            stranger.close()
