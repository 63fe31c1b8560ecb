"""Compares what the documentation claims with the code: `.venv/bin/python scripts/check_status.py`.

Prints broker and topic keys that are called honoured and that no code outside `config` reads, keys that are called
without effect and that some code reads, and the same for metrics that are called exported. A key counts as read where
its name stands in quotes, a topic's key also where its attribute is used; a metric where its name, or the part of it
after the MBean's type, stands in quotes. Exit code 1 when there is anything to print.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ottla.config.definition import ACCEPTED, HONOURED, ConfigKey
from ottla.config.keys import broker_keys, topic_keys
from ottla.observability.catalogue import MetricDefinition, metric_definitions

SOURCE = Path(__file__).parent.parent / "src" / "ottla"

# What `BrokerConfig` and `TopicConfig` make of keys, by the key that they stand for.
PROPERTIES = {
    "log.dirs": "log_dirs",
    "listeners": "listeners",
    "listener.security.protocol.map": "listeners",
    "advertised.listeners": "advertised_listeners",
    "inter.broker.listener.name": "inter_broker_listener_name",
    "security.inter.broker.protocol": "inter_broker_listener_name",
    "control.plane.listener.name": "control_plane_listener_name",
    "cleanup.policy": "is_deleted",
    "flush.messages": "is_flushed",
}


# What `config` itself resolves into another key.
RESOLVED = {
    "log.retention.minutes",
    "log.retention.hours",
    "log.roll.hours",
    "log.roll.jitter.hours",
    "log.message.timestamp.difference.max.ms",
    "message.timestamp.difference.max.ms",
}


def source_text(excluded: str) -> str:
    """All code except one package."""
    files = (path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] != excluded)
    return "\n".join(path.read_text(encoding="utf-8") for path in files if "tables" not in path.parts)


def is_read(key: ConfigKey, text: str, *, as_attribute: bool) -> bool:
    attribute = PROPERTIES.get(key.name) or (key.name.replace(".", "_") if as_attribute else None)
    return f'"{key.name}"' in text or bool(attribute and re.search(rf"\.{attribute}\b", text))


def key_findings() -> Iterator[str]:
    text = source_text("config")
    topics = topic_keys().values()
    through_topics = {key.broker_key for key in topics if is_read(key, text, as_attribute=True)}
    for key in broker_keys().values():
        read = is_read(key, text, as_attribute=False) or key.name in through_topics | RESOLVED
        yield from key_finding("broker", key, read=read)
    for key in topics:
        yield from key_finding("topic", key, read=is_read(key, text, as_attribute=True) or key.name in RESOLVED)


def key_finding(kind: str, key: ConfigKey, *, read: bool) -> Iterator[str]:
    if key.status == HONOURED and not read:
        yield f"{kind} {key.name}: called honoured, nothing reads it"
    if key.status == ACCEPTED and read:
        yield f"{kind} {key.name}: called without effect, but it is read"


def metric_findings() -> Iterator[str]:
    text = source_text("")
    for metric in metric_definitions().values():
        exported = is_exported(metric, text)
        if metric.later is None and not exported:
            yield f"metric {metric.name}: called exported, nothing counts it"
        if metric.later is not None and exported:
            yield f"metric {metric.name}: called later, but it is counted"


def is_exported(metric: MetricDefinition, text: str) -> bool:
    *_, last = re.split(r"^kafka_[a-z]+_(?:group_|transaction_)?[a-z]+_", metric.name)
    return f'"{metric.name}"' in text or f'"{last}"' in text


if __name__ == "__main__":
    lines = [*key_findings(), *metric_findings()]
    print("\n".join(lines))
    sys.exit(bool(lines))
