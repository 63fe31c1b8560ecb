"""Where brokers are: `host:port` as in `bootstrap.servers`."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ottla.errors import ConfigError

DEFAULT_PORT = 9092


class Address(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_addresses(servers: str | Iterable[str]) -> tuple[Address, ...]:
    """The addresses of a list or of a text with commas. A missing port is 9092; ConfigError for what is no address."""
    if isinstance(servers, Mapping):
        raise ConfigError("brokers come first, settings as keywords behind them: Producer('host:9092', acks='all')")
    texts = servers.split(",") if isinstance(servers, str) else list(servers) if isinstance(servers, Iterable) else []
    if not all(isinstance(text, str) for text in texts) or not isinstance(servers, Iterable):
        raise ConfigError(f"bootstrap.servers is a text like 'host:9092,other:9092' or a list of such, not {servers!r}")
    addresses = tuple(_parse(text.strip()) for text in texts if text.strip())
    if not addresses:
        raise ConfigError("No bootstrap urls given in bootstrap.servers")
    return addresses


def _parse(text: str) -> Address:
    if "://" in text:
        text = text.split("://", 1)[1]
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        return Address(text.strip("[]"), DEFAULT_PORT)
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ConfigError(f"Invalid url in bootstrap.servers: {text}")
    return Address(host.strip("[]"), int(port))
