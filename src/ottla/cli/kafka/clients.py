"""The clients of Kafka's tools: made from --bootstrap-server and a file of properties, or found through ZooKeeper."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ottla.cli.connection import Target, check_reachable, parse_property
from ottla.cli.output import Format
from ottla.errors.tree import OperatorError

if TYPE_CHECKING:
    from ottla import Admin


def make_tool_target(bootstrap_server: str, config_file: str | None = None, properties: Iterable[str] = ()) -> Target:
    """Properties on the command line win over those of the file."""
    from ottla.config import read_properties

    found = read_properties(Path(config_file)) if config_file else {}
    found.pop("bootstrap.servers", None)
    found.update(map(parse_property, properties))
    return Target(bootstrap_server=bootstrap_server, properties=found, format=Format.TABLE)


def open_admin(bootstrap_server: str, config_file: str | None = None) -> "Admin":
    return make_tool_target(bootstrap_server, config_file).admin()


def brokers_in_zookeeper(connect: str) -> str:
    """Where the brokers listen that ZooKeeper knows: `--zookeeper` in place of `--bootstrap-server`."""
    from ottla.cli.zookeeper_client import connected_client
    from ottla.coordination import paths
    from ottla.coordination.payloads.brokers import BrokerInfo

    with connected_client(connect) as client:
        found = []
        for broker_id in sorted(int(name) for name in client.children(paths.BROKER_IDS) if name.isdecimal()):
            path = paths.broker_id(broker_id)
            endpoint = BrokerInfo.decode(path, client.get(path)[0]).endpoints[0]
            found.append(f"{endpoint.host}:{endpoint.port}")
    if not found:
        raise OperatorError(f"no broker is registered in the ZooKeeper at {connect}: start one first")
    servers = ",".join(found)
    check_reachable(servers)
    return servers
