"""The brokers that our clients are tested on: real Kafka, started once for all tests that want it."""

import itertools
import os
from collections.abc import Iterator

import pytest

import ottla
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.kafka import kafka_broker
from support.ports import free_port

_numbers = itertools.count(1)


@pytest.fixture(scope="session", params=["ottla", "kafka-4.3.0", pytest.param("kafka-3.9.1", marks=pytest.mark.long)])
def broker_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def broker_address(broker_kind: str) -> Iterator[str]:
    """Where a broker listens that stays up for the whole run."""
    if broker_kind == "ottla":
        with EmbeddedBroker(process=True) as embedded:
            yield embedded.address
        return
    with kafka_broker(broker_kind.removeprefix("kafka-")) as broker:
        yield broker.address


@pytest.fixture
def only_kafka(broker_kind: str) -> None:
    """For what Ottla's broker has not got yet."""
    if broker_kind == "ottla":
        pytest.skip("Ottla has no transactions and no reassignment yet")


@pytest.fixture(scope="session")
def admin(broker_address: str) -> Iterator[ottla.Admin]:
    with ottla.Admin(broker_address) as client:
        yield client


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name that nothing else on the broker has, for topics and groups."""
    return f"{request.node.originalname[5:45]}-{os.getpid()}-{next(_numbers)}"


@pytest.fixture
def topic(admin: ottla.Admin, name: str) -> str:
    """A fresh topic with one partition."""
    return create_topic(admin, name, 1)


@pytest.fixture
def wide_topic(admin: ottla.Admin, name: str) -> str:
    """A fresh topic with four partitions."""
    return create_topic(admin, name, 4)


def create_topic(admin: ottla.Admin, name: str, partitions: int) -> str:
    """Create a topic and wait until the brokers have heard of it."""
    admin.create_topic(name, partitions=partitions)
    eventually(lambda: not admin.describe_topics([name]).errors)
    return name


@pytest.fixture
def free_address() -> str:
    """Where nobody listens."""
    return f"127.0.0.1:{free_port()}"
