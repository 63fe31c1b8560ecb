"""From a client's configuration to the settings of its connections."""

import itertools

from ottla.clients.addresses import Address, parse_addresses
from ottla.clients.configuration import ClientConfig
from ottla.clients.connection import ConnectionSettings
from ottla.errors import ConfigError

_numbers = itertools.count(1)


def bootstrap_of(config: ClientConfig, servers: str | list[str] | None) -> tuple[Address, ...]:
    """`bootstrap.servers`, given as the first argument or as a keyword."""
    given = config.given.get("bootstrap.servers")
    if servers is not None and given is not None:
        raise ConfigError("bootstrap.servers is given twice")
    wanted = servers if servers is not None else given
    if wanted is None:
        raise ConfigError("bootstrap.servers is missing")
    return parse_addresses(wanted)


def client_id_of(config: ClientConfig, kind: str) -> str:
    """`client.id`, or a name that no other client of this process has: producer-1, consumer-2 ..."""
    return config.string("client.id") or f"{kind}-{next(_numbers)}"


def connection_settings(config: ClientConfig, client_id: str) -> ConnectionSettings:
    return ConnectionSettings(
        client_id=client_id,
        request_timeout_ms=config.int("request.timeout.ms"),
        connect_timeout_ms=config.int("socket.connection.setup.timeout.ms"),
        idle_max_ms=config.int("connections.max.idle.ms"),
        reconnect_backoff_ms=config.int("reconnect.backoff.ms"),
        reconnect_backoff_max_ms=config.int("reconnect.backoff.max.ms"),
        retry_backoff_ms=config.int("retry.backoff.ms"),
        retry_backoff_max_ms=config.int("retry.backoff.max.ms"),
        metadata_max_age_ms=config.int("metadata.max.age.ms"),
    )
