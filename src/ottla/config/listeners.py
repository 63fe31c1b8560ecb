"""Listeners: where the broker listens, what it tells clients, and which of them brokers use among themselves.

    listeners             NAME://host:port,...   empty host: every interface; port 0: any
    advertised.listeners  the same form; unset: the listeners themselves

A name stands for a security protocol by `listener.security.protocol.map`. The manual's `host.name`, `port`,
`advertised.host.name` and `advertised.port` make one PLAINTEXT listener where the newer keys are not set. Unlike
Kafka, a broker without any of them listens on loopback only.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ottla.config.values import invalid_value
from ottla.errors import ConfigError

SECURITY_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
DEFAULT_HOST = "localhost"

_ENDPOINT = re.compile(r"([A-Za-z0-9_.-]+)://(?:\[([0-9A-Fa-f:.%]+)\]|([^\[\]:/\s]*)):([0-9]+)")


class Endpoint(NamedTuple):
    """One listener. An empty host is every interface."""

    listener_name: str
    security_protocol: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.listener_name}://{host}:{self.port}"


def parse_protocol_map(text: str) -> dict[str, str]:
    """`NAME:PROTOCOL,...` with upper-case names; ConfigError when one is no protocol."""
    protocols = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, _, protocol = pair.partition(":")
        if protocol.strip().upper() not in SECURITY_PROTOCOLS:
            allowed = f"each listener name needs one of {', '.join(SECURITY_PROTOCOLS)}"
            raise invalid_value("listener.security.protocol.map", text, allowed)
        protocols[name.strip().upper()] = protocol.strip().upper()
    return protocols


def parse_endpoints(key: str, text: str, protocols: Mapping[str, str]) -> tuple[Endpoint, ...]:
    parts = [part.strip() for part in text.split(",")]
    endpoints = tuple(_parse_endpoint(key, part, protocols) for part in parts if part)
    _check_distinct(key, text, (endpoint.listener_name for endpoint in endpoints), "name")
    return endpoints


def _parse_endpoint(key: str, text: str, protocols: Mapping[str, str]) -> Endpoint:
    match = _ENDPOINT.fullmatch(text)
    if match is None or int(match[4]) > 65535:
        raise invalid_value(key, text, "a listener is NAME://host:port, such as PLAINTEXT://localhost:9092")
    name = match[1].upper()
    if name not in protocols:
        why = f"No security protocol defined for listener {name} in listener.security.protocol.map"
        raise invalid_value(key, text, why)
    return Endpoint(name, protocols[name], match[2] or match[3] or "", int(match[4]))


def check_bindable(endpoints: tuple[Endpoint, ...]) -> None:
    """Two listeners may share a port only on different hosts."""
    if not endpoints:
        raise invalid_value("listeners", "", "at least one listener is needed")
    bound = [f"{endpoint.host}:{endpoint.port}" for endpoint in endpoints if endpoint.port]
    _check_distinct("listeners", ",".join(map(str, endpoints)), bound, "port")


def check_advertised(advertised: tuple[Endpoint, ...], endpoints: tuple[Endpoint, ...]) -> None:
    """A client must be able to go where it is sent."""
    names = {endpoint.listener_name for endpoint in endpoints}
    for endpoint in advertised:
        if endpoint.listener_name not in names:
            why = f"{endpoint.listener_name} is not among the listeners ({', '.join(sorted(names))})"
            raise invalid_value("advertised.listeners", endpoint, why)
        if endpoint.host in ("0.0.0.0", "::"):
            raise ConfigError(
                f"advertised.listeners cannot use the nonroutable meta-address {endpoint.host}. "
                "Use a routable IP address."
            )


def _check_distinct(key: str, text: str, items: Iterable[str], what: str) -> None:
    seen = list(items)
    if len(set(seen)) != len(seen):
        raise invalid_value(key, text, f"Each listener must have a different {what}")


def old_listener(host: str | None, port: int) -> str:
    """What `host.name` and `port` mean: one PLAINTEXT listener."""
    return f"PLAINTEXT://{host or DEFAULT_HOST}:{port}"


def inter_broker_listener(endpoints: tuple[Endpoint, ...], name: str | None, protocol: str | None) -> str:
    """The listener between brokers: the named one, else the first of the protocol (PLAINTEXT when not set)."""
    if name and protocol:
        raise ConfigError("Only one of inter.broker.listener.name and security.inter.broker.protocol should be set.")
    for endpoint in endpoints:
        if name and endpoint.listener_name == name.upper():
            return endpoint.listener_name
        if not name and endpoint.security_protocol == (protocol or "PLAINTEXT"):
            return endpoint.listener_name
    wanted = (
        f"inter.broker.listener.name {name}" if name else f"security.inter.broker.protocol {protocol or 'PLAINTEXT'}"
    )
    raise ConfigError(f"{wanted} is not among the listeners: {', '.join(map(str, endpoints))}")
