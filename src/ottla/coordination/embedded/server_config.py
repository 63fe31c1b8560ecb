"""zoo.cfg: the keys of a standalone ZooKeeper that this server honours, under ZooKeeper's own names.

    clientPort                     2181       0: any free port
    clientPortAddress              127.0.0.1  anything but loopback needs requireClientAuth
    dataDir                        (required)
    tickTime                       2000       ms; the unit of the session timeouts below
    minSessionTimeout              2 ticks    ms
    maxSessionTimeout              20 ticks   ms
    maxClientCnxns                 60         connections per client address; 0: no bound
    4lw.commands.whitelist         srvr       comma list, or *
    autopurge.snapRetainCount      3          snapshots that are kept
    snapCount                      10000      transactions between snapshots, at least
    forceSync                      yes        no: answers do not wait for the disk
    jute.maxbuffer                 1048575    bytes of one request
    globalOutstandingLimit         1000       requests of one connection that wait for the disk
    znode.container.checkIntervalMs 60000     how often empty containers and old TTL nodes are looked for
    DigestAuthenticationProvider.superDigest  user:BASE64(SHA1(user:password)) of the one who may do everything

Ottla's own: `requireClientAuth=user:password`, which every client must send by the digest scheme before anything else;
`ottla.nodes.max` (1048576) and `ottla.bytes.max` (268435456), the bounds of the tree. System properties of a Java
server (`zookeeper.` before the key) are taken the same way. Keys that only an ensemble has are ignored.
"""

import logging
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ottla.errors import ConfigError

logger = logging.getLogger(__name__)

_TRUE = frozenset({"yes", "true", "1"})
_FALSE = frozenset({"no", "false", "0"})
_WITHOUT_EFFECT = frozenset(
    {"initLimit", "syncLimit", "admin.enableServer", "admin.serverPort", "autopurge.purgeInterval"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    data_dir: str
    client_port: int = 2181
    client_port_address: str = "127.0.0.1"
    tick_time_ms: int = 2000
    min_session_timeout_ms: int = -1
    max_session_timeout_ms: int = -1
    max_client_connections: int = 60
    four_letter_words: frozenset[str] = frozenset({"srvr"})
    snapshots_retained: int = 3
    snap_count: int = 10_000
    force_sync: bool = True
    request_bytes_max: int = 0xFFFFF
    outstanding_max: int = 1000
    container_check_interval_ms: int = 60_000
    super_digest: str | None = field(default=None, repr=False)
    require_client_auth: str | None = field(default=None, repr=False)
    nodes_max: int = 1 << 20
    bytes_max: int = 1 << 28

    @property
    def session_timeout_range_ms(self) -> tuple[int, int]:
        shortest, longest = self.min_session_timeout_ms, self.max_session_timeout_ms
        return (
            self.tick_time_ms * 2 if shortest == -1 else shortest,
            self.tick_time_ms * 20 if longest == -1 else longest,
        )

    def check(self) -> None:
        """ConfigError for what cannot be served."""
        shortest, longest = self.session_timeout_range_ms
        if self.tick_time_ms <= 0 or shortest > longest:
            raise ConfigError("tickTime must be positive and minSessionTimeout at most maxSessionTimeout")
        if self.require_client_auth is not None and ":" not in self.require_client_auth:
            raise ConfigError("requireClientAuth must be user:password")
        if self.require_client_auth is None and not is_loopback(self.client_port_address):
            raise ConfigError(
                f"clientPortAddress={self.client_port_address} is not loopback: "
                "set requireClientAuth=user:password to let others in"
            )


def is_loopback(host: str) -> bool:
    """Whether every address that this name stands for is loopback."""
    try:
        addresses = {str(found[4][0]) for found in socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM)}
    except OSError as error:
        raise ConfigError(f"clientPortAddress={host}: {error}") from error
    return bool(host) and all(address.startswith("127.") or address == "::1" for address in addresses)


def parse_properties(text: str) -> dict[str, str]:
    """A Java properties file as far as zoo.cfg uses one."""
    properties: dict[str, str] = {}
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and stripped[0] not in "#!":
            key, _, value = stripped.partition("=")
            properties[key.strip()] = value.strip()
    return properties


def config_from_properties(properties: Mapping[str, str]) -> ServerConfig:
    """The configuration that zoo.cfg asks for; ConfigError names the key that is wrong."""
    values: dict[str, object] = {}
    ensemble = [key for key in properties if key.startswith("server.")]
    if len(ensemble) > 1:
        raise ConfigError("server.N: this server runs alone; for an ensemble use Apache ZooKeeper")
    for key, text in properties.items():
        known = _KEYS.get(key.removeprefix("zookeeper."))
        if known is None:
            log = logger.debug if key in _WITHOUT_EFFECT or key in ensemble else logger.warning
            log("zoo.cfg: %s is not known here and has no effect", key)
            continue
        attribute, parse = known
        try:
            values[attribute] = parse(text)
        except ValueError:
            raise ConfigError(f"zoo.cfg: {key}={text} is not a valid value") from None
    if not values.get("data_dir"):
        raise ConfigError("zoo.cfg: dataDir is missing")
    config = ServerConfig(**values)  # type: ignore[arg-type]
    config.check()
    return config


def _boolean(text: str) -> bool:
    if text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    raise ValueError(text)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.strip() for word in text.split(",") if word.strip())


_KEYS: dict[str, tuple[str, Callable[[str], object]]] = {
    "dataDir": ("data_dir", str),
    "clientPort": ("client_port", int),
    "clientPortAddress": ("client_port_address", str),
    "tickTime": ("tick_time_ms", int),
    "minSessionTimeout": ("min_session_timeout_ms", int),
    "maxSessionTimeout": ("max_session_timeout_ms", int),
    "maxClientCnxns": ("max_client_connections", int),
    "4lw.commands.whitelist": ("four_letter_words", _words),
    "autopurge.snapRetainCount": ("snapshots_retained", int),
    "snapCount": ("snap_count", int),
    "forceSync": ("force_sync", _boolean),
    "jute.maxbuffer": ("request_bytes_max", int),
    "globalOutstandingLimit": ("outstanding_max", int),
    "znode.container.checkIntervalMs": ("container_check_interval_ms", int),
    "DigestAuthenticationProvider.superDigest": ("super_digest", str),
    "requireClientAuth": ("require_client_auth", str),
    "ottla.nodes.max": ("nodes_max", int),
    "ottla.bytes.max": ("bytes_max", int),
}
