"""State that a broker has before strangers come, so that their requests get past the first check: topics of several
kinds with records, a group with members, one with offsets alone, idempotent producers.
"""

import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from hostile.places import coordinator_address, create_topic, leader_address
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from support.raw_group import RawMember, stable_group
from support.raw_kafka import RawKafka, topic_metadata
from support.raw_requests import batch, new_producer_id, produce

TOPICS: dict[str, dict[str, str]] = {
    "t": {"segment.bytes": "20000"},
    "compressed": {"compression.type": "zstd"},
    "compacted": {"cleanup.policy": "compact"},
    "stamped": {"message.timestamp.type": "LogAppendTime"},
}
PARTITIONS = 2
_SESSION_MS = 600_000  # longer than any test
# Of a cluster's own brokers and epochs too: what is forged looks like one of them.
_NUMBERS = {
    "broker_id": (0, 1, 2, 3, -1),
    "replica_id": (-1, -2, 0, 1, 2),
    "leader_id": (0, 1, 2, -1),
    "leader": (0, 1, 2, -1),
    "controller_id": (0, 1, 2),
    "partition_index": (0, 0, 1, 2, -1),
    "partition": (0, 0, 1, 2, -1),
    "index": (0, 0, 1, 2, -1),
    "leader_epoch": (-1, 0, 1, 2, (1 << 31) - 1),
    "current_leader_epoch": (-1, 0, 1, 2, (1 << 31) - 1),
    "generation_id": (-1, 0, 1, 2),
}
_CONFIG_NAMES = ("retention.ms", "segment.bytes", "max.message.bytes", "cleanup.policy", "min.insync.replicas", "none")


class KnownState(NamedTuple):
    topics: list[str]
    topic_ids: list[uuid.UUID]
    values: Mapping[str, Sequence[Any]]


def make_state(address: str, stack: ExitStack, replicas: int = 1) -> KnownState:
    """The members' connections last as long as `stack`."""
    for name, configs in TOPICS.items():
        create_topic(address, name, PARTITIONS, configs, replicas)
    for name in TOPICS:
        for partition in range(PARTITIONS):
            with RawKafka(leader_address(address, name, partition)) as raw:
                assert produce(raw, name, batch(5), partition=partition).error_code == 0
    producers = [_producer(address, topic) for topic in ("t", "compressed")]
    members = [_member(address, "members", stack) for _ in range(2)]
    stable_group(*members)
    assert members[0].commit("t", 3) == "NONE"
    assert _member(address, "offsets", stack).commit("t", 2) == "NONE"
    ids = [topic_metadata(address, name).topic_id for name in TOPICS]
    return KnownState(list(TOPICS), ids, _NUMBERS | _values(producers, members))


def _producer(address: str, topic: str) -> int:
    """The id of one that has written."""
    with RawKafka(leader_address(address, topic)) as raw:
        producer_id = new_producer_id(raw)
        sent = produce(raw, topic, batch(producer_id=producer_id, producer_epoch=0, base_sequence=0))
    assert sent.error_code == 0
    return producer_id


def _member(address: str, group: str, stack: ExitStack) -> RawMember:
    member = RawMember(coordinator_address(address, group), group, session_timeout_ms=_SESSION_MS)
    stack.callback(member.close)
    return member


def _values(producers: list[int], members: list[RawMember]) -> dict[str, Sequence[Any]]:
    groups = ("members", "offsets", "nobody", "")
    return {
        "producer_id": (*producers, -1),
        "producer_epoch": (-1, 0, 1, 32767),
        "group_id": groups,
        "groups": groups,
        "groups_names": groups,
        "key": groups,
        "member_id": (*(member.member_id for member in members), "", "nobody"),
        "group_instance_id": (None, "", "static"),
        "config_name": _CONFIG_NAMES,
    }


def served_apis(address: str) -> list[tuple[int, int, int]]:
    """Key, first and last version."""
    with RawKafka(address) as raw:
        answer = raw.ask(ApiVersionsRequest(client_software_name="hostile", client_software_version="1"), 3)
    return [(api.api_key, api.min_version, api.max_version) for api in answer.api_keys]
