"""The bounds of a server, under the names of the keys that set them."""

import resource
from collections.abc import Mapping
from dataclasses import dataclass, field

from ottla.config import BrokerConfig
from ottla.disk.handle_cache import HANDLES_MAX
from ottla.errors import ConfigError
from ottla.transport.frames import MESSAGE_SIZE_MAX_DEFAULT

UNLIMITED = 2**31 - 1
DESCRIPTORS_RESERVED = HANDLES_MAX + 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The defaults are Kafka's, but for `queued_max_request_bytes` (Kafka: no bound) and what Kafka has no key for."""

    socket_request_max_bytes: int = MESSAGE_SIZE_MAX_DEFAULT
    queued_max_requests: int = 500
    queued_max_request_bytes: int = 64 * 1024 * 1024
    max_connections: int = UNLIMITED
    max_connections_per_ip: int = UNLIMITED
    max_connections_per_ip_overrides: Mapping[str, int] = field(default_factory=dict)
    connections_max_idle_ms: int = 600_000
    # A frame that was begun must be complete after this time or, where it is large, have grown by a least rate.
    frame_receive_timeout_ms: int = 60_000
    # Descriptors that connections never take: log files and connections to other brokers need them.
    descriptors_reserved: int = DESCRIPTORS_RESERVED
    socket_listen_backlog_size: int = 50
    # None: nobody chose, see decision 0002; -1: the operating system decides, and tunes.
    socket_send_buffer_bytes: int | None = None
    socket_receive_buffer_bytes: int | None = None

    @classmethod
    def from_config(cls, config: BrokerConfig) -> "ServerLimits":
        return cls(
            socket_request_max_bytes=config.int("socket.request.max.bytes"),
            queued_max_requests=config.int("queued.max.requests"),
            queued_max_request_bytes=_bytes_or_unlimited(config.int("queued.max.request.bytes")),
            max_connections=config.int("max.connections"),
            max_connections_per_ip=config.int("max.connections.per.ip"),
            max_connections_per_ip_overrides=parse_overrides(config.string("max.connections.per.ip.overrides") or ""),
            connections_max_idle_ms=config.int("connections.max.idle.ms"),
            descriptors_reserved=min(DESCRIPTORS_RESERVED, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2),
            frame_receive_timeout_ms=config.int("ottla.frame.receive.timeout.ms"),
            socket_listen_backlog_size=config.int("socket.listen.backlog.size"),
            socket_send_buffer_bytes=_buffer_bytes(config, "socket.send.buffer.bytes"),
            socket_receive_buffer_bytes=_buffer_bytes(config, "socket.receive.buffer.bytes"),
        )


def _bytes_or_unlimited(count: int) -> int:
    """Kafka's -1 in `queued.max.request.bytes` means no bound."""
    return count if count > 0 else 2**63 - 1


def _buffer_bytes(config: BrokerConfig, key: str) -> int | None:
    """A size that somebody chose. Kafka's default would only switch the operating system's tuning off."""
    return config.int(key) if config.is_set(key) else None


def parse_overrides(text: str) -> dict[str, int]:
    """`max.connections.per.ip.overrides`: host:count, separated by commas."""
    overrides: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        host, _, count = part.rpartition(":")
        if not host or not count.strip().isdecimal():
            raise ConfigError(f"max.connections.per.ip.overrides: {part!r} is not of the form host:count")
        overrides[host.strip()] = int(count)
    return overrides
