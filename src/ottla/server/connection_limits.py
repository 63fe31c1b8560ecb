"""How many connections a server takes: in all, from one address, and as far as descriptors go.

At the bound on all of them (`max.connections`, or the descriptors that are left beside the reserve) clients wait in
the backlog of the listener until somebody leaves. Over the bound of one address (`max.connections.per.ip`) a connection
is accepted and closed at once, as Kafka does: waiting would let one address block all others. Listeners that only
brokers use are not bound by the first and count apart for the second, so that clients, even on the same host, cannot
lock the cluster out of itself.
"""

import resource
import socket
from collections.abc import Mapping

from ottla.server.limits import UNLIMITED, ServerLimits


class ConnectionLimits:
    __slots__ = ("_by_address", "_count", "_descriptors_max", "_overrides", "_per_address_max", "count_max")

    def __init__(self, limits: ServerLimits, descriptors_max: int) -> None:
        self._descriptors_max = descriptors_max
        self._by_address: dict[tuple[str, bool], int] = {}
        self._count = 0
        self.apply(limits)

    def apply(self, limits: ServerLimits) -> None:
        """Take other limits. Connections that are open stay."""
        descriptors_max = self._descriptors_max
        self.count_max = min(limits.max_connections, max(1, descriptors_max - limits.descriptors_reserved))
        self._per_address_max = limits.max_connections_per_ip
        self._overrides = resolve_overrides(limits.max_connections_per_ip_overrides)

    @property
    def count(self) -> int:
        return self._count

    def is_full(self) -> bool:
        """Whether clients must wait. Connections of listeners for brokers count, but do not wait themselves."""
        return self._count >= self.count_max

    def try_add(self, address: str, *, is_control: bool) -> bool:
        """Count a connection, unless its address has as many as it may."""
        open_count = self._by_address.get((address, is_control), 0)
        if open_count >= self._overrides.get(address, self._per_address_max):
            return False
        self._by_address[address, is_control] = open_count + 1
        self._count += 1
        return True

    def remove(self, address: str, *, is_control: bool) -> None:
        self._count -= 1
        left = self._by_address[address, is_control] - 1
        if left:
            self._by_address[address, is_control] = left
        else:
            del self._by_address[address, is_control]


def resolve_overrides(overrides: Mapping[str, int]) -> dict[str, int]:
    """`max.connections.per.ip.overrides` may name hosts; connections have addresses."""
    resolved: dict[str, int] = {}
    for host, count in overrides.items():
        resolved.update((address, count) for address in _addresses(host))
    return resolved


def _addresses(host: str) -> set[str]:
    try:
        return {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except socket.gaierror:
        return {host}


def raise_descriptor_limit() -> int:
    """Allow this process all descriptors that it may have; how many that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return UNLIMITED if hard == resource.RLIM_INFINITY else hard
