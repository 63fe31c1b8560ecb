"""Topics by id in Fetch and Produce (KIP-516): the versions spoken, and what happens when an id is not right."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import ottla
from ottla.clients import protocol_session
from ottla.clients.api_versions import VersionRange, read_versions
from ottla.clients.protocol_session import ProtocolSession
from ottla.errors import ErrorCode
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchResponse
from support.eventually import eventually
from support.librdkafka import write_topic

NEWEST = {
    "ottla": {ApiKey.FETCH: 18, ApiKey.PRODUCE: 13},
    "kafka-4.3.0": {ApiKey.FETCH: 18, ApiKey.PRODUCE: 13},
    "kafka-3.9.1": {ApiKey.FETCH: 17, ApiKey.PRODUCE: 11},
}


class Spoken(NamedTuple):
    versions: dict[int, set[int]]
    """Of each API that was used."""
    tamper: list[Callable[[Any], bool]]
    """Is shown every response, until it says that it has changed one."""


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> Spoken:
    """What the clients of a test speak."""
    seen = Spoken({}, [])
    send, receive = ProtocolSession.send, ProtocolSession.receive

    def noting_send(session: ProtocolSession, api_key: int, version: int, *args: Any, **kwargs: Any) -> Any:
        seen.versions.setdefault(api_key, set()).add(version)
        return send(session, api_key, version, *args, **kwargs)

    def tampering_receive(session: ProtocolSession, frame: memoryview) -> Any:
        request, message = receive(session, frame)
        if seen.tamper and seen.tamper[0](message):
            seen.tamper.pop(0)
        return request, message

    monkeypatch.setattr(ProtocolSession, "send", noting_send)
    monkeypatch.setattr(ProtocolSession, "receive", tampering_receive)
    return seen


def round_trip(address: str, topic: str, values: list[bytes]) -> list[bytes]:
    with ottla.Producer(address) as producer:
        for value in values:
            producer.send(topic, value)
    with ottla.Consumer(address, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        return [record.value for record in consumer.poll(20_000)]


def test_the_newest_versions_are_spoken(broker_kind: str, broker_address: str, topic: str, spoken: Spoken):
    assert round_trip(broker_address, topic, [b"by id"]) == [b"by id"]
    for api_key, version in NEWEST[broker_kind].items():
        assert spoken.versions[api_key] == {version}


def test_a_broker_that_knows_no_ids_gets_names(
    broker_address: str, topic: str, spoken: Spoken, monkeypatch: pytest.MonkeyPatch
):
    def older(response: Any) -> dict[int, VersionRange]:
        versions = read_versions(response)
        for api_key in (ApiKey.FETCH, ApiKey.PRODUCE):
            first, last = versions[api_key]
            versions[api_key] = VersionRange(first, min(last, 12))
        return versions

    monkeypatch.setattr(protocol_session, "read_versions", older)
    assert round_trip(broker_address, topic, [b"by name"]) == [b"by name"]
    assert spoken.versions[ApiKey.FETCH] == {12}
    assert spoken.versions[ApiKey.PRODUCE] <= {11, 12}


def test_metadata_without_ids_gives_names(
    broker_address: str, topic: str, spoken: Spoken, monkeypatch: pytest.MonkeyPatch
):
    """As version 9 of Metadata is: the last one without them."""

    def older(response: Any) -> dict[int, VersionRange]:
        versions = read_versions(response)
        versions[ApiKey.METADATA] = VersionRange(versions[ApiKey.METADATA].first, 9)
        return versions

    monkeypatch.setattr(protocol_session, "read_versions", older)
    assert round_trip(broker_address, topic, [b"by name"]) == [b"by name"]
    assert spoken.versions[ApiKey.FETCH] == {12}


@pytest.mark.parametrize("error", [ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INCONSISTENT_TOPIC_ID])
def test_a_partition_whose_id_is_not_right_is_fetched_again(
    broker_address: str, topic: str, spoken: Spoken, error: ErrorCode
):
    def refuse(response: Any) -> bool:
        if not isinstance(response, FetchResponse) or not response.responses:
            return False
        data = response.responses[0].partitions[0]
        data.error_code, data.records = error, None
        return True

    spoken.tamper.append(refuse)
    assert round_trip(broker_address, topic, [b"value"]) == [b"value"]
    assert not spoken.tamper


def test_a_session_whose_ids_are_not_right_is_begun_anew(broker_address: str, topic: str, spoken: Spoken):
    def refuse(response: Any) -> bool:
        if not isinstance(response, FetchResponse):
            return False
        response.error_code, response.responses = ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, []
        return True

    spoken.tamper.append(refuse)
    assert round_trip(broker_address, topic, [b"value"]) == [b"value"]
    assert not spoken.tamper


def test_a_topic_that_was_deleted_and_created_again_is_written_to_and_read(
    admin: ottla.Admin, broker_address: str, topic: str
):
    """Its new id is found by asking for metadata."""
    with (
        ottla.Producer(broker_address, retry_backoff_ms=20) as producer,
        ottla.Consumer(broker_address, auto_offset_reset="earliest", fetch_max_wait_ms=50) as consumer,
    ):
        consumer.assign([(topic, 0)])
        producer.send(topic, b"before").result(20)
        assert [record.value for record in consumer.poll(20_000)] == [b"before"]
        admin.delete_topics([topic]).check()
        eventually(lambda: topic not in admin.list_topics())
        admin.create_topic(topic, partitions=1)
        eventually(lambda: not admin.describe_topics([topic]).errors)
        producer.send(topic, b"after").result(60)
        write_topic(broker_address, topic, [{"value": b"more"}])
        consumer.seek_to_beginning([(topic, 0)])
        values: list[bytes] = []
        while len(values) < 2:
            values += [record.value for record in consumer.poll(20_000)]
        assert values == [b"after", b"more"]
