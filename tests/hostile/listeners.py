"""Brokers with a listener of their own beside that of their clients, on which nobody is believed to be a broker."""

from collections.abc import Mapping
from pathlib import Path

from support.broker import OttlaProcess
from support.ports import free_port

_INSIDE = "INSIDE"


def broker_with_two_listeners(directory: Path, properties: Mapping[str, str] | None = None) -> OttlaProcess:
    """Members with the strangest timeouts come in here, and are soon gone again. Nothing is too old to be kept."""
    own = {"group.min.session.timeout.ms": "1", "log.retention.ms": "-1"}
    broker = OttlaProcess(directory, own | dict(properties or {}))
    broker.properties |= {
        "listeners": f"PLAINTEXT://{broker.address},{_INSIDE}://127.0.0.1:{free_port()}",
        "listener.security.protocol.map": f"PLAINTEXT:PLAINTEXT,{_INSIDE}:PLAINTEXT",
        "inter.broker.listener.name": _INSIDE,
    }
    return broker


def inside_address(broker: OttlaProcess) -> str:
    return broker.properties["listeners"].rpartition("//")[2]
