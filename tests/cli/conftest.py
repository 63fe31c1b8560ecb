"""One broker process for all tests of commands, and names of their own for what they make on it."""

import itertools
from collections.abc import Iterator

import pytest

from ottla.testing import EmbeddedBroker
from support.command import Ottla

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(process=True) as embedded:
        yield embedded


@pytest.fixture(scope="session")
def ottla(broker: EmbeddedBroker) -> Ottla:
    return Ottla(broker.bootstrap_servers)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name that nothing else on the broker has, for topics and groups."""
    return f"{request.node.originalname[5:40]}-{next(_numbers)}"


@pytest.fixture
def topic(broker: EmbeddedBroker, name: str) -> str:
    """A fresh topic with two partitions."""
    return broker.create_topic(name, partitions=2)
