"""`/config/<entity>`: the dynamic configs of topics, brokers, users and clients, and the notices that they changed.

A notice names the entity (`topics/views`, `users/alice/clients/c1`, `brokers/<default>`) and carries no values: who
reads it reads the entity. Version 1 notices held type and name apart.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.coordination import paths
from ottla.coordination.errors import PayloadError
from ottla.coordination.payloads.document import decode_json, encode_json


def encode_config(config: Mapping[str, str]) -> bytes:
    return encode_json({"version": 1, "config": dict(config)})


def decode_config(path: str, data: bytes) -> dict[str, str]:
    """Empty bytes are an entity without configs: Kafka makes such nodes as parents."""
    return decode_json(path, data).texts("config") if data else {}


class ConfigEntity(NamedTuple):
    """Whose config: `(("users", "alice"), ("clients", "c1"))`; the names as they are, not sanitized."""

    parts: tuple[tuple[str, str], ...]

    @property
    def type(self) -> str:
        return self.parts[0][0]

    @property
    def name(self) -> str:
        return self.parts[0][1]

    @property
    def path(self) -> str:
        """`users/alice/clients/c1`, as notices spell it and as the path below /config."""
        return "/".join(f"{kind}/{_sanitized(name)}" for kind, name in self.parts)


def topic_entity(topic: str) -> ConfigEntity:
    return ConfigEntity((("topics", topic),))


def broker_entity(broker_id: int | None) -> ConfigEntity:
    return ConfigEntity((("brokers", paths.DEFAULT_ENTITY if broker_id is None else str(broker_id)),))


def parse_entity_path(path: str, entity_path: str) -> ConfigEntity:
    steps = entity_path.split("/")
    if len(steps) not in (2, 4) or not all(steps):
        raise PayloadError(path, f"not an entity: {entity_path!r}")
    return ConfigEntity(tuple((steps[i], paths.desanitize(steps[i + 1])) for i in range(0, len(steps), 2)))


def encode_config_change(entity: ConfigEntity) -> bytes:
    return encode_json({"version": 2, "entity_path": entity.path})


def decode_config_change(path: str, data: bytes) -> ConfigEntity:
    document = decode_json(path, data)
    if document.integer("version") == 1:
        return ConfigEntity(((document.text("entity_type"), document.text("entity_name")),))
    return parse_entity_path(path, document.text("entity_path"))


def _sanitized(name: str) -> str:
    return name if name == paths.DEFAULT_ENTITY else paths.sanitize(name)
