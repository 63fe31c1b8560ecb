"""Requests that make no sense get errors that a client knows, and the broker stays well.

The control requests of a cluster are left out: whoever may send them says who leads, and is believed.
"""

import logging
import uuid

import pytest

from ottla import Consumer, Producer
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from ottla.protocol.messages.produce import ProduceRequest
from ottla.testing import EmbeddedBroker
from support.hostile_messages import HostileMessages
from support.raw_kafka import RawKafka, RawKafkaError

CONTROL = {ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA, ApiKey.CONTROLLED_SHUTDOWN}
TOPICS: dict[str, dict[str, str]] = {
    "t": {},
    "compressed": {"compression.type": "zstd"},
    "compacted": {"cleanup.policy": "compact"},
}
# Members with the strangest timeouts come in, and are soon gone again.
PROPERTIES = {"group.min.session.timeout.ms": 1, "num.partitions": 2}


@pytest.mark.parametrize("seed", range(2))
def test_hostile_requests(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    withstand(seed, 2_000, caplog)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 105))
def test_many_hostile_requests(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    withstand(seed, 30_000, caplog)


def withstand(seed: int, count: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR), EmbeddedBroker(properties=PROPERTIES) as broker:
        raw = RawKafka(broker.address)
        messages = HostileMessages(seed, list(TOPICS), create_topics(raw))
        apis = [api for api in served_versions(raw) if api[0] not in CONTROL]
        for _ in range(count):
            key, first, last = messages.rng.choice(apis)
            version = messages.rng.randint(first, last)
            request = messages.message(api_info(key).request_class(), version)
            try:
                raw.send(request, version)
                if isinstance(request, ProduceRequest) and request.acks == 0:
                    raw.expect_nothing()
                else:
                    raw.receive()
            except (RawKafkaError, ConnectionError):  # What cannot be answered ends the connection.
                raw.sock.close()
                raw = RawKafka(broker.address)
        raw.sock.close()
        assert takes_and_gives_records(broker.bootstrap_servers)
    assert [record.getMessage() for record in caplog.records] == []


def create_topics(raw: RawKafka) -> list[uuid.UUID]:
    topics = [
        CreatableTopic(
            name=name,
            num_partitions=2,
            replication_factor=1,
            configs=[CreatableTopicConfig(name=key, value=value) for key, value in configs.items()],
        )
        for name, configs in TOPICS.items()
    ]
    return [topic.topic_id for topic in raw.ask(CreateTopicsRequest(topics=topics, timeout_ms=10_000), 7).topics]


def served_versions(raw: RawKafka) -> list[tuple[ApiKey, int, int]]:
    answer = raw.ask(ApiVersionsRequest(client_software_name="hostile", client_software_version="1"), 3)
    return [(ApiKey(api.api_key), api.min_version, api.max_version) for api in answer.api_keys]


def takes_and_gives_records(address: str) -> bool:
    with Producer(address) as producer:
        sent = producer.send("afterwards", b"still here").result(30)
    with Consumer(address, auto_offset_reset="earliest") as consumer:
        consumer.assign([("afterwards", sent.partition)])
        return [record.value for record in consumer.poll(30_000)] == [b"still here"]
