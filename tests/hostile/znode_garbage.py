"""Znodes that brokers read, and what a tool, an older version or a careless hand may write into them."""

import json
import random
from typing import Any, NamedTuple

from ottla.coordination import paths
from ottla.model import TopicPartition

VICTIM = "victim"
_STRANGER_ID = 77
_NEVER_JSON = (b"\x00\xff\xfe", b"{", b"null", b"[]", b'"text"', b"[" * 50_000, b'{"a":' * 20_000, b"NaN")
_STRANGE = (
    None, True, -1, 0, 1 << 31, 1 << 63, 1 << 64, 10**400, 1e308, "", "x", "9" * 5000, [], {}, [[]], {"a": {"b": []}},
    [1 << 40], {"0": [1 << 40]}, {"-1": [0]}, {"x": [0]}, {str(1 << 40): [0]}, ["../../x"],
)  # fmt: skip


class Target(NamedTuple):
    path: str
    valid: bytes = b""
    """What stands there, or what a mutation begins with where nothing does."""
    is_sequence: bool = False
    is_read_live: bool = True
    """Whether a running broker looks at it again when it changes."""
    is_read_at_start: bool = True


def _json(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields).encode()


_PARTITION = [{"topic": VICTIM, "partition": 0}]
TARGETS = (
    Target(paths.topic(VICTIM)),
    Target(paths.topic("stranger"), _json({"version": 3, "partitions": {"0": [0]}, "topic_id": "x"})),
    Target(paths.partition_state(TopicPartition(VICTIM, 0)), is_read_live=False),
    Target(paths.topic_config(VICTIM), is_read_live=False),
    Target(paths.broker_config(0), _json({"version": 1, "config": {"num.io.threads": "1"}}), is_read_live=False),
    Target(paths.broker_config(None), _json({"version": 1, "config": {"num.io.threads": "1"}}), is_read_live=False),
    Target(
        f"{paths.CONFIG_CHANGES}/{paths.CONFIG_CHANGE_PREFIX}",
        _json({"version": 2, "entity_path": f"topics/{VICTIM}"}),
        is_sequence=True,
        is_read_at_start=False,
    ),
    Target(
        f"{paths.ISR_CHANGE_NOTIFICATION}/{paths.ISR_CHANGE_PREFIX}",
        _json({"version": 1, "partitions": _PARTITION}),
        is_sequence=True,
        is_read_at_start=False,
    ),
    Target(
        f"{paths.LOG_DIR_EVENT_NOTIFICATION}/{paths.LOG_DIR_EVENT_PREFIX}",
        _json({"version": 1, "broker": 0, "event": 1}),
        is_sequence=True,
        is_read_at_start=False,
    ),
    Target(paths.deleted_topic("nobody"), is_read_live=False, is_read_at_start=False),  # its name says it all
    Target(paths.PREFERRED_REPLICA_ELECTION, _json({"version": 1, "partitions": _PARTITION})),
    Target(
        paths.REASSIGN_PARTITIONS, _json({"version": 1, "partitions": [*_PARTITION]}), is_read_live=False
    ),
    Target(
        paths.broker_id(_STRANGER_ID),
        _json({"version": 5, "endpoints": ["PLAINTEXT://127.0.0.1:1"], "timestamp": "1", "host": "x", "port": 1}),
    ),
    Target(f"{paths.BROKER_IDS}/{1 << 40}", _json({"version": 5, "endpoints": ["PLAINTEXT://127.0.0.1:1"]})),
    Target(paths.CONTROLLER, is_read_live=False, is_read_at_start=False),
    Target(paths.CONTROLLER_EPOCH, is_read_live=False),
    Target(paths.PRODUCER_ID_BLOCK, is_read_live=False, is_read_at_start=False),
    Target(paths.CLUSTER_ID, is_read_live=False),
    Target(paths.FEATURE, _json({"version": 2, "features": {}, "status": 1}), is_read_live=False),
)  # fmt: skip


def garbage(rng: random.Random, valid: bytes) -> tuple[bytes, bool]:
    """The bytes, and whether they are certainly nothing that belongs there."""
    if rng.random() < 0.4:
        return rng.choice(_NEVER_JSON), True
    if rng.random() < 0.1:
        return b"", False
    try:
        fields = json.loads(valid)
    except ValueError:
        return json.dumps(rng.choice(_STRANGE)).encode(), False
    return json.dumps(_with_one_strange(rng, fields)).encode(), False


def _with_one_strange(rng: random.Random, value: Any) -> Any:
    """The same document with one value in it, or below it, exchanged."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        return value | {key: _with_one_strange(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.7:
        index = rng.randrange(len(value))
        return [*value[:index], _with_one_strange(rng, value[index]), *value[index + 1 :]]
    return rng.choice(_STRANGE)
