"""The picture of the cluster, addresses, backoff, configuration."""

import uuid

import pytest

from ottla.clients.addresses import Address, parse_addresses
from ottla.clients.configuration import ClientConfig
from ottla.clients.retry import Backoff
from ottla.clients.snapshot import EMPTY, merge
from ottla.config.keys import consumer_keys, producer_keys
from ottla.errors import ConfigError, ErrorCode
from ottla.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

FIRST_ID, SECOND_ID = uuid.UUID(int=1), uuid.UUID(int=2)


def answer(leader: int, epoch: int, topic_id: uuid.UUID = FIRST_ID, name: str = "t") -> MetadataResponse:
    partition = MetadataResponsePartition(partition_index=0, leader_id=leader, leader_epoch=epoch)
    brokers = [MetadataResponseBroker(node_id=node, host="h", port=9092 + node) for node in (1, 2)]
    topic = MetadataResponseTopic(name=name, topic_id=topic_id, partitions=[partition])
    return MetadataResponse(brokers=brokers, topics=[topic], controller_id=1, cluster_id="c")


def unknown(name: str) -> MetadataResponse:
    topic = MetadataResponseTopic(name=name, error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return MetadataResponse(topics=[topic])


def test_an_older_leader_epoch_does_not_replace_a_newer_one():
    snapshot = merge(EMPTY, answer(leader=2, epoch=5), 1.0, is_complete=False)
    snapshot = merge(snapshot, answer(leader=1, epoch=4), 2.0, is_complete=False)
    assert snapshot.leader_of("t", 0).leader_id == 2
    snapshot = merge(snapshot, answer(leader=1, epoch=6), 3.0, is_complete=False)
    assert snapshot.leader_of("t", 0).leader_id == 1


def test_a_topic_that_was_created_again_begins_its_epochs_anew():
    snapshot = merge(EMPTY, answer(leader=2, epoch=5), 1.0, is_complete=False)
    snapshot = merge(snapshot, answer(leader=1, epoch=0, topic_id=SECOND_ID), 2.0, is_complete=False)
    assert snapshot.leader_of("t", 0).leader_id == 1


def test_a_topic_that_was_not_asked_for_is_kept_and_an_unknown_one_forgotten():
    snapshot = merge(EMPTY, answer(1, 0), 1.0, is_complete=False)
    snapshot = merge(snapshot, answer(1, 0, name="u"), 2.0, is_complete=False)
    assert set(snapshot.topics) == {"t", "u"}
    assert set(merge(snapshot, unknown("t"), 3.0, is_complete=False).topics) == {"u"}
    assert set(merge(snapshot, answer(1, 0, name="u"), 3.0, is_complete=True).topics) == {"u"}


def test_a_leader_that_is_not_among_the_brokers_is_none():
    snapshot = merge(EMPTY, answer(leader=9, epoch=0), 1.0, is_complete=False)
    assert snapshot.leader_of("t", 0) is None
    assert snapshot.leader_of("t", 1) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:1,b:2", [("a", 1), ("b", 2)]),
        ("localhost", [("localhost", 9092)]),
        ("[::1]:9093", [("::1", 9093)]),
        ("PLAINTEXT://h:5", [("h", 5)]),
        (["a:1", " b:2 "], [("a", 1), ("b", 2)]),
    ],
)
def test_addresses_are_read(text, expected):
    assert list(parse_addresses(text)) == [Address(*pair) for pair in expected]


@pytest.mark.parametrize("text", ["", "a:b", ":9092", "a:0", "a:70000", " , "])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(ConfigError):
        parse_addresses(text)


def test_settings_in_the_place_of_addresses_are_told_where_they_go():
    with pytest.raises(ConfigError, match="settings as keywords"):
        parse_addresses({"bootstrap.servers": "localhost:9092"})


def test_backoff_doubles_up_to_its_bound_within_its_jitter():
    backoff = Backoff(100, 1000)
    assert backoff.delay_ms(0) == 0
    for failures, expected in [(1, 100), (2, 200), (4, 800), (5, 1000), (500, 1000)]:
        assert 0.8 * expected <= backoff.delay_ms(failures) <= 1.2 * expected


def test_configuration_takes_python_values_and_texts():
    config = ClientConfig("producer", producer_keys(), {"linger_ms": 5, "batch.size": "1000", "acks": 1})
    assert (config.int("linger.ms"), config.int("batch.size"), config.string("acks")) == (5, 1000, "1")
    assert config.int("max.request.size") == 1048576


def test_old_names_set_the_present_ones():
    assert ClientConfig("producer", producer_keys(), {"timeout_ms": 7}).int("request.timeout.ms") == 7
    config = ClientConfig("producer", producer_keys(), {"metadata.fetch.timeout.ms": 7})
    assert config.int("max.block.ms") == 7


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"linger_sm": 5}, "unknown producer configuration linger_sm: did you mean linger_ms?"),
        ({"linger.sm": 5}, "unknown producer configuration linger.sm: did you mean linger.ms?"),
        ({"linger_ms": "soon"}, "Invalid value soon for configuration linger.ms"),
        ({"acks": "most"}, "Invalid value most for configuration acks"),
        ({"security_protocol": "SSL"}, "TLS and SASL are not there yet"),
        ({"transactional_id": "t"}, "transactions are not there yet"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(given, text):
    with pytest.raises(ConfigError) as caught:
        ClientConfig("producer", producer_keys(), given)
    assert text in str(caught.value)


def test_the_group_protocol_may_be_named_in_any_case():
    assert ClientConfig("consumer", consumer_keys(), {"group_protocol": "classic"}).string("group.protocol")
