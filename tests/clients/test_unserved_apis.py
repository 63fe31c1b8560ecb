"""A broker that does not serve what a client needs: the client says so at once, and which API it is."""

from collections.abc import Callable, Iterator

import pytest

import ottla
from ottla.clients import protocol_session
from ottla.clients.api_versions import read_versions
from ottla.errors.kafka import UnsupportedVersionError
from ottla.protocol.api_keys import ApiKey
from ottla.testing import EmbeddedBroker


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with EmbeddedBroker() as broker:
        broker.create_topic("t")
        with ottla.Producer(broker.address) as producer:
            producer.send("t", b"v").result(20)
        yield broker.address


def send(address: str, **config: object) -> None:
    with ottla.Producer(address, **config) as producer:
        producer.send("t", b"v").result(10)


def read(address: str) -> None:
    with ottla.Consumer(address, auto_offset_reset="earliest") as consumer:
        consumer.assign([("t", 0)])
        assert consumer.poll(10_000)


def read_as_member(address: str) -> None:
    with ottla.Consumer(address, group_id="g", auto_offset_reset="earliest") as consumer:
        consumer.subscribe(["t"])
        consumer.poll(10_000)
        consumer.commit(timeout_ms=10_000)


def administer(address: str) -> None:
    with ottla.Admin(address, default_api_timeout_ms=10_000) as admin:
        admin.create_topic("u")
        admin.list_topics()
        admin.describe_configs([ottla.ConfigResource.topic("t")]).check()


CASES: list[tuple[ApiKey, Callable[[str], None]]] = [
    (ApiKey.METADATA, send),
    (ApiKey.INIT_PRODUCER_ID, send),
    (ApiKey.PRODUCE, send),
    (ApiKey.PRODUCE, lambda address: send(address, enable_idempotence=False)),
    (ApiKey.METADATA, read),
    (ApiKey.LIST_OFFSETS, read),
    (ApiKey.FETCH, read),
    (ApiKey.FIND_COORDINATOR, read_as_member),
    (ApiKey.JOIN_GROUP, read_as_member),
    (ApiKey.SYNC_GROUP, read_as_member),
    (ApiKey.OFFSET_FETCH, read_as_member),
    (ApiKey.OFFSET_COMMIT, read_as_member),
    (ApiKey.CREATE_TOPICS, administer),
    (ApiKey.DESCRIBE_CONFIGS, administer),
]


@pytest.mark.parametrize(("api_key", "work"), CASES)
def test_the_client_names_the_api_at_once(
    address: str, monkeypatch: pytest.MonkeyPatch, api_key: ApiKey, work: Callable[[str], None]
) -> None:
    def without(response: object) -> dict[int, object]:
        return {key: versions for key, versions in read_versions(response).items() if key != api_key}

    monkeypatch.setattr(protocol_session, "read_versions", without)
    with pytest.raises(UnsupportedVersionError, match=f"does not serve {api_key.name}"):
        work(address)
