"""`zookeeper.connect`: `host1:2181,host2:2181/chroot`. One chroot, at the end, for all hosts."""

from typing import NamedTuple

from ottla.coordination.znode_path import path_problem
from ottla.errors import ConfigError

DEFAULT_PORT = 2181


class ConnectString(NamedTuple):
    servers: tuple[tuple[str, int], ...]
    chroot: str  # "" or "/path", without a slash at its end

    @property
    def hosts(self) -> str:
        return ",".join(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self.servers)


def parse_connect_string(text: str) -> ConnectString:
    hosts, slash, chroot = text.strip().partition("/")
    chroot = (slash + chroot).rstrip("/")
    if chroot and path_problem(chroot):
        raise ConfigError(f"zookeeper.connect: the chroot {chroot!r} {path_problem(chroot)}")
    servers = tuple(_server(host.strip()) for host in hosts.split(","))
    return ConnectString(servers, chroot)


def _server(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ConfigError(f"zookeeper.connect: {text!r} is not host:port")
    return host, int(port)
