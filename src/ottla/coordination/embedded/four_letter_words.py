"""ZooKeeper's text commands: four letters on a new connection, a text back. `4lw.commands.whitelist` says which."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla import __version__

if TYPE_CHECKING:
    from ottla.coordination.embedded.server import EmbeddedZooKeeper

# The release of Apache ZooKeeper whose protocol this server speaks; clients look at it to know what they may ask.
PROTOCOL_VERSION = "3.9.3"
VERSION_TEXT = f"{PROTOCOL_VERSION}-ottla-{__version__}, built on 1970-01-01 00:00 UTC"


def answer_four_letter_word(word: bytes, server: "EmbeddedZooKeeper") -> bytes | None:
    """The text to send back, or None when this is no such command but the length of a frame."""
    name = word.decode("ascii", "replace")
    answer = ANSWERS.get(name)
    if answer is None:
        return None
    allowed = server.config.four_letter_words
    if name not in allowed and "*" not in allowed:
        return f"{name} is not executed because it is not in the whitelist.\n".encode()
    return answer(server).encode()


def _ruok(server: "EmbeddedZooKeeper") -> str:
    return "imok"


def _isro(server: "EmbeddedZooKeeper") -> str:
    return "rw"


def _srvr(server: "EmbeddedZooKeeper") -> str:
    return f"Zookeeper version: {VERSION_TEXT}\n{_state(server)}"


def _stat(server: "EmbeddedZooKeeper") -> str:
    clients = "".join(
        f" /{client.host}:{client.port}[{int(client.session_id != 0)}](queued={client.outstanding})\n"
        for client in server.connections
    )
    return f"Zookeeper version: {VERSION_TEXT}\nClients:\n{clients}\n{_state(server)}"


def _state(server: "EmbeddedZooKeeper") -> str:
    return (
        "Latency min/avg/max: 0/0.0/0\n"
        f"Received: {server.statistics.packets_received}\n"
        f"Sent: {server.statistics.packets_sent}\n"
        f"Connections: {len(server.connections)}\n"
        f"Outstanding: {server.outstanding}\n"
        f"Zxid: {server.durable_zxid:#x}\n"
        "Mode: standalone\n"
        f"Node count: {len(server.database.tree.nodes)}\n"
    )


def _mntr(server: "EmbeddedZooKeeper") -> str:
    tree = server.database.tree
    values: dict[str, object] = {
        "version": VERSION_TEXT,
        "server_state": "standalone",
        "packets_received": server.statistics.packets_received,
        "packets_sent": server.statistics.packets_sent,
        "num_alive_connections": len(server.connections),
        "outstanding_requests": server.outstanding,
        "znode_count": len(tree.nodes),
        "watch_count": len(server.processor.watches),
        "ephemerals_count": sum(len(paths) for paths in tree.ephemerals.values()),
        "global_sessions": len(server.processor.sessions),
        "approximate_data_size": tree.bytes_held,
        "open_file_descriptor_count": len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else -1,
    }
    return "".join(f"zk_{name}\t{value}\n" for name, value in values.items())


def _conf(server: "EmbeddedZooKeeper") -> str:
    config = server.config
    shortest, longest = config.session_timeout_range_ms
    return (
        f"clientPort={server.port}\n"
        "secureClientPort=-1\n"
        f"dataDir={config.data_dir}\n"
        f"dataLogDir={config.data_dir}\n"
        f"tickTime={config.tick_time_ms}\n"
        f"maxClientCnxns={config.max_client_connections}\n"
        f"minSessionTimeout={shortest}\n"
        f"maxSessionTimeout={longest}\n"
        "serverId=1\n"
    )


def _envi(server: "EmbeddedZooKeeper") -> str:
    return f"Environment:\nzookeeper.version={VERSION_TEXT}\n"


ANSWERS: dict[str, Callable[["EmbeddedZooKeeper"], str]] = {
    "ruok": _ruok,
    "isro": _isro,
    "srvr": _srvr,
    "stat": _stat,
    "mntr": _mntr,
    "conf": _conf,
    "envi": _envi,
}
