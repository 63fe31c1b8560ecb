"""The table of APIs against Kafka's own (tests/data/api_keys.tsv) and against the declared messages."""

from pathlib import Path
from typing import NamedTuple

import pytest

from ottla.errors import DecodeError
from ottla.protocol.api_keys import NEVER, ApiKey
from ottla.protocol.apis import API_INFOS, api_info

INDEX = Path(__file__).parents[1] / "data" / "api_keys.tsv"

NEWER_IN_4_X = {ApiKey.VOTE: 2, ApiKey.BROKER_HEARTBEAT: 2}
"""What Kafka 4 added to APIs of controllers after the snapshot that the index was taken from (kio has it)."""


class Row(NamedTuple):
    key: int
    name: str
    versions: set[int]
    first_flexible: int


def parse(line: str) -> Row:
    key, name, *ranges, first_flexible = line.split("\t")
    bounds = [int(bound) for versions in ranges if versions != "-" for bound in versions.split("-")]
    newest = NEWER_IN_4_X.get(ApiKey(int(key)), 0)
    versions = set(range(min([*bounds, 0]), max([*bounds, newest]) + 1))
    return Row(int(key), name, versions, NEVER if first_flexible == "none" else int(first_flexible))


ROWS = [parse(line) for line in INDEX.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_api_has_the_versions_of_kafka_3_9_and_4_x(row: Row) -> None:
    info = api_info(row.key)
    if row.name == "ListClientMetricsResources":  # became ListConfigResources, the same bytes in version 0
        assert info.name == "ListConfigResources"
        return
    assert info.name == row.name
    assert set(range(info.versions[0], info.versions[1] + 1)) == row.versions
    assert info.first_flexible == row.first_flexible


def test_nothing_is_in_the_table_that_kafka_does_not_have() -> None:
    assert API_INFOS.keys() == {row.key for row in ROWS}


@pytest.mark.parametrize("info", API_INFOS.values(), ids=lambda info: info.name)
def test_table_agrees_with_the_declared_messages(info: object) -> None:
    first, last = info.versions
    for message_class in (info.request_class(), info.response_class()):
        assert info.api_key == message_class.API_KEY
        assert range(first, last + 1) == message_class.VERSIONS
        for version in message_class.VERSIONS:
            assert (version in message_class.FLEXIBLE) == (version >= info.first_flexible)


def test_every_api_key_has_its_name_in_kafkas_spelling() -> None:
    assert ApiKey.OFFSET_FOR_LEADER_EPOCH.value == 23
    for info in API_INFOS.values():
        assert info.api_key.name.replace("_", "").lower() == info.name.lower()


def test_unknown_api_key_is_a_decode_error() -> None:
    with pytest.raises(DecodeError, match="no API with key 4711"):
        api_info(4711)
