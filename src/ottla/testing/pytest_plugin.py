"""The pytest plugin: loaded in every run where Ottla is installed, so nothing of Ottla is imported before it is used.

`ottla_broker` is one broker for the whole run, in process. Override `ottla_broker_properties` (session scope) in a
conftest.py to configure it. `ottla_topic` is a fresh topic with one partition for each test.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ottla.testing.embedded_broker import EmbeddedBroker

_numbers = itertools.count(1)
_NAME_LENGTH_MAX = 200


@pytest.fixture(scope="session")
def ottla_broker_properties() -> Mapping[str, object]:
    """Configuration keys for `ottla_broker`: none, unless a conftest.py says otherwise."""
    return {}


@pytest.fixture(scope="session")
def ottla_broker(ottla_broker_properties: Mapping[str, object]) -> "Iterator[EmbeddedBroker]":
    """A broker that stays up for the whole run; clients connect to `ottla_broker.bootstrap_servers`."""
    from ottla.testing.embedded_broker import EmbeddedBroker

    with EmbeddedBroker(properties=ottla_broker_properties) as broker:
        yield broker


@pytest.fixture
def ottla_topic(ottla_broker: "EmbeddedBroker", request: pytest.FixtureRequest) -> str:
    """The name of a fresh topic with one partition, made from the test's own name."""
    readable = re.sub(r"[^a-zA-Z0-9._-]", "-", request.node.name)[:_NAME_LENGTH_MAX]
    return ottla_broker.create_topic(f"{readable}-{next(_numbers)}")
