"""What clients say of brokers and leaders that are away: one line when it begins, one when it is over."""

import contextlib
import logging
from collections.abc import Iterator

import pytest

import ottla
from ottla.clients.addresses import Address
from ottla.clients.errors import ClientTimeoutError
from ottla.clients.outages import Outages
from ottla.clients.snapshot import EMPTY, merge
from ottla.errors import OttlaError
from ottla.errors.kafka import NetworkError
from ottla.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from ottla.testing import EmbeddedBroker
from support.eventually import eventually

NAME = "ottla.clients.outages"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    caplog.set_level(logging.WARNING, NAME)

    class Lines(list[str]):
        def __iter__(self) -> Iterator[str]:
            return (record.getMessage() for record in caplog.records if record.name == NAME)

    return Lines()


def test_an_address_is_named_once_until_it_answers(lines: list[str]) -> None:
    outages, address = Outages(), Address("h", 1)
    outages.note_connected(address)
    for _ in range(3):
        outages.note_refused(address, NetworkError(f"{address}: Connection refused"))
    assert list(lines) == ["h:1: Connection refused; trying again"]
    outages.note_connected(address)
    outages.note_connected(address)
    assert list(lines)[1:] == ["h:1: connected again"]


def answer(*leaders: int) -> MetadataResponse:
    partitions = [
        MetadataResponsePartition(partition_index=index, leader_id=leader, replica_nodes=[2])
        for index, leader in enumerate(leaders)
    ]
    topic = MetadataResponseTopic(name="t", partitions=partitions)
    return MetadataResponse(brokers=[MetadataResponseBroker(node_id=1, host="h", port=1)], topics=[topic])


def test_a_partition_without_a_leader_is_named_once_and_not_while_its_topic_is_new(lines: list[str]) -> None:
    outages = Outages()

    def note(*leaders: int) -> list[str]:
        before = len(list(lines))
        outages.note_snapshot(merge(EMPTY, answer(*leaders), 1.0, is_complete=False), ["t", "u"])
        return list(lines)[before:]

    assert note(-1, 1, -1) == []
    assert note(1, 1, 1) == []
    assert note(-1, 1, 1) == []
    assert note(-1, 1, 1) == ["t-0 has no leader (on broker 2); waiting for one"]
    assert note(-1, -1, -1) == []
    assert note(-1, -1, -1) == ["each of 2 partitions of t (1, 2) has no leader (on broker 2); waiting for one"]
    assert note(1, -1, -1) == ["t-0 has a leader again"]
    outages.note_snapshot(EMPTY, ["t"])  # the topic is deleted
    assert len(list(lines)) == 3


@pytest.mark.parametrize("kind", ["producer", "consumer", "admin"])
def test_every_client_says_which_address_refuses(lines: list[str], free_address: str, kind: str) -> None:
    with contextlib.suppress(OttlaError):
        if kind == "producer":
            with ottla.Producer(free_address, max_block_ms=200) as producer:
                producer.send("t", b"v")
        elif kind == "consumer":
            with ottla.Consumer(free_address, default_api_timeout_ms=200, group_id="g") as consumer:
                consumer.subscribe(["t"])
                consumer.poll(200)
        else:
            with ottla.Admin(free_address, default_api_timeout_ms=200, request_timeout_ms=200) as admin:
                admin.list_topics()
    of_this_one = [line for line in lines if free_address in line]  # clients of other tests may still be ending
    assert of_this_one == [f"{free_address}: Connection refused; trying again"]


def test_a_running_consumer_says_when_its_broker_goes_and_when_it_is_back(lines: list[str], tmp_path) -> None:
    def about(address: str) -> list[str]:
        return [line for line in lines if address in line]

    with EmbeddedBroker(process=True, directory=tmp_path) as embedded:
        (broker,) = embedded.brokers
        embedded.create_topic("t")
        with ottla.Consumer(broker.address, auto_offset_reset="earliest") as consumer:
            consumer.assign([("t", 0)])
            consumer.poll(100)
            broker.kill()
            eventually(lambda: consumer.poll(50) or about(broker.address))
            consumer.poll(500)
            assert about(broker.address) == [f"{broker.address}: Connection refused; trying again"]
            broker.start()
            eventually(lambda: consumer.poll(50) or len(about(broker.address)) > 1)
            assert about(broker.address)[1:] == [f"{broker.address}: connected again"]


def test_the_wait_for_a_position_ends_with_an_error_of_ours(free_address: str) -> None:
    with ottla.Consumer(free_address, default_api_timeout_ms=200) as consumer:
        consumer.assign([("t", 0)])
        with pytest.raises(ClientTimeoutError):
            consumer.position(("t", 0))
