"""One broker for all tests of clients, one process per client, a topic of its own per test.

OTTLA_COMPAT_BROKER=kafka runs every test against Apache Kafka 3.9.1 instead: so the tests themselves are tested.
Tests of behaviours run against both, Kafka's turn being a long one.
"""

import itertools
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.broker import BrokerProcess, kafka_on_zookeeper, ottla_broker
from support.drivers.catalogue import close_all, driver
from support.drivers.records import Driver
from support.group_members import Members
from support.raw_kafka import RawKafka, create_topic

MakeTopic = Callable[..., str]

STARTERS = {"ottla": ottla_broker, "kafka": kafka_on_zookeeper}
UNDER_TEST = os.environ.get("OTTLA_COMPAT_BROKER", "ottla")

_numbers = itertools.count(1)


class Brokers:
    """The brokers of this session by kind and settings, each started when it is first asked for."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._running: dict[tuple[str, ...], tuple[BrokerProcess, Any]] = {}

    def get(self, kind: str, **properties: str) -> BrokerProcess:
        key = (kind, *sorted(map(str, properties.items())))
        if key not in self._running:
            manager = STARTERS[kind](self._factory.mktemp(kind), properties)
            self._running[key] = (manager.__enter__(), manager)
        return self._running[key][0]

    def close(self) -> None:
        for _, manager in self._running.values():
            manager.__exit__(None, None, None)


@pytest.fixture(scope="session")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    running = Brokers(tmp_path_factory)
    yield running
    running.close()
    close_all()


@pytest.fixture
def broker(request: pytest.FixtureRequest, brokers: Brokers) -> BrokerProcess:
    return brokers.get(getattr(request, "param", UNDER_TEST))


@pytest.fixture
def broker_without_auto_creation(brokers: Brokers) -> BrokerProcess:
    return brokers.get(UNDER_TEST, **{"auto.create.topics.enable": "false"})


@pytest.fixture
def raw(broker: BrokerProcess) -> Iterator[RawKafka]:
    """A connection to the broker, without a client."""
    with RawKafka(broker.address) as connection:
        yield connection


@pytest.fixture
def fresh_name(request: pytest.FixtureRequest) -> Callable[[], str]:
    """A topic name that nobody has used."""
    stem = re.sub(r"[^a-zA-Z0-9]+", "-", request.node.name.removeprefix("test_"))[:180].strip("-")
    return lambda: f"{stem}-{next(_numbers)}"


@pytest.fixture
def make_topic(broker: BrokerProcess, fresh_name: Callable[[], str]) -> MakeTopic:
    """`make_topic(partitions, **{"cleanup.policy": "compact"})` gives the name of a new topic."""

    def make(partitions: int = 1, **configs: str) -> str:
        name = fresh_name()
        create_topic(broker.address, name, partitions, configs)
        return name

    return make


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Driver:
    return driver(request.param)


@pytest.fixture
def members() -> Iterator[Members]:
    opened = Members()
    yield opened
    opened.end()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A failure shows what the broker said."""
    outcome: Any = yield
    report = outcome.get_result()
    broker = getattr(item, "funcargs", {}).get("broker")
    if report.failed and isinstance(broker, BrokerProcess):
        report.sections.append(("broker", broker.tail()))
