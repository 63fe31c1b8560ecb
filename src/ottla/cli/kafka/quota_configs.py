"""`kafka-configs` for users, clients and ips: their quotas, which have requests of their own (KIP-546)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ottla.config.values import value_text
from ottla.errors.tree import ConfigError

if TYPE_CHECKING:
    from ottla import Admin

ENTITY_KINDS = {"users": "user", "clients": "client-id", "ips": "ip"}
_TITLES = {"user": "user-principal", "client-id": "client-id", "ip": "ip"}
_OF_CLIENTS = ("producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate")
_OF_IPS = ("connection_creation_rate",)


def describe_quotas(admin: "Admin", types: Sequence[str], names: Sequence[str | None]) -> None:
    """Quotas of the named entities, and of every entity of the kinds that come without a name."""
    kinds = [ENTITY_KINDS[entity_type] for entity_type in types]
    entity = dict(zip(kinds, names, strict=False))
    found = admin.describe_client_quotas(entity, any_of=tuple(kinds[len(names) :]))
    for description in sorted(found, key=lambda one: _entity_text(one.entity)):
        values = ", ".join(f"{key}={value_text(value)}" for key, value in sorted(description.values.items()))
        print(f"Quota configs for {_entity_text(description.entity)} are {values}")


def _entity_text(entity: Mapping[str, str | None]) -> str:
    named = ((title, entity[kind]) for kind, title in _TITLES.items() if kind in entity)
    return ", ".join(f"the default {title}" if name is None else f"{title} '{name}'" for title, name in named)


def alter_quotas(
    admin: "Admin", types: Sequence[str], names: Sequence[str | None], changes: Mapping[str, str | None]
) -> None:
    known = _OF_IPS if "ips" in types else _OF_CLIENTS
    unknown = sorted(set(changes) - set(known))
    if unknown:
        raise ConfigError(
            f"Only quota configs can be added for '{types[0]}' using --bootstrap-server. "
            f"Unexpected config names: {', '.join(unknown)}"
        )
    values = {key: None if text is None else _number(key, text) for key, text in changes.items()}
    entity = dict(zip((ENTITY_KINDS[entity_type] for entity_type in types), names, strict=True))
    admin.alter_client_quotas(entity, values)


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ConfigError(f"Cannot parse quota configuration value for {key}: {text}") from error
