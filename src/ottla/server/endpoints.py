"""Which sockets a server opens, and what clients are told about them.

`config` has read and checked the keys (listeners, advertised.listeners, listener.security.protocol.map, the older
host.name and port ...). Here they become the sockets of this process: a port of 0 is filled in when it is known, and a
listener on all interfaces is advertised by the name of the host, as Kafka does.
"""

import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ottla.config.listeners import Endpoint
from ottla.errors import ConfigError

SUPPORTED_PROTOCOLS = frozenset({"PLAINTEXT"})
ALL_INTERFACES = frozenset({"", "0.0.0.0", "::"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerSpec:
    """One listening socket. An empty host is every interface, port 0 any port.

    `is_control`: only brokers connect here, so its requests are admitted apart from those of clients, and neither the
    bound on connections nor a lack of descriptors stops it.
    `serves_brokers`: brokers connect here, perhaps beside clients. What only a broker may ask is refused elsewhere.
    """

    name: str
    host: str
    port: int
    security_protocol: str = "PLAINTEXT"
    is_control: bool = False
    serves_brokers: bool = True

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.name}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class AdvertisedEndpoint:
    """Where clients of a listener are sent."""

    host: str
    port: int


def plan_listeners(
    endpoints: Iterable[Endpoint], inter_broker_name: str, control_plane_name: str | None = None
) -> tuple[ListenerSpec, ...]:
    """The sockets to open. A listener between brokers counts as control only where clients have another one."""
    endpoints = tuple(endpoints)
    for endpoint in endpoints:
        if endpoint.security_protocol not in SUPPORTED_PROTOCOLS:
            raise ConfigError(
                f"listener {endpoint.listener_name}: {endpoint.security_protocol} is not supported yet, only "
                f"{', '.join(sorted(SUPPORTED_PROTOCOLS))}"
            )
    of_brokers = {inter_broker_name, control_plane_name or inter_broker_name}
    brokers_only = of_brokers
    clients_have_their_own = any(endpoint.listener_name not in brokers_only for endpoint in endpoints)
    if not clients_have_their_own:
        brokers_only = {control_plane_name} if control_plane_name else set()
    return tuple(
        ListenerSpec(
            name=endpoint.listener_name,
            host=endpoint.host,
            port=endpoint.port,
            security_protocol=endpoint.security_protocol,
            is_control=endpoint.listener_name in brokers_only,
            serves_brokers=endpoint.listener_name in of_brokers,
        )
        for endpoint in endpoints
    )


def resolve_advertised(
    advertised: Iterable[Endpoint],
    bound_ports: Mapping[str, int],
    local_host: Callable[[], str] = socket.getfqdn,
) -> dict[str, AdvertisedEndpoint]:
    """What to register and to tell clients, by listener name, once the sockets are bound."""
    return {
        endpoint.listener_name: AdvertisedEndpoint(
            host=local_host() if endpoint.host in ALL_INTERFACES else endpoint.host,
            port=endpoint.port or bound_ports[endpoint.listener_name],
        )
        for endpoint in advertised
    }
