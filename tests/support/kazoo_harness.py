"""A stand-in for `kazoo.testing.common`: kazoo's own tests start `ottla zookeeper` where they would start a JVM.

Given to pytest with `-p support.kazoo_harness`, before kazoo's tests are imported. The original also makes certificates
for TLS, with packages that are not needed for anything else; here there is one server, and no TLS.
"""

import gc
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from support.zookeepers import ZooKeeperProcess, embedded_server


class ManagedZooKeeper:
    """What kazoo's tests do with one server: run, stop, and ask for its address."""

    host = "127.0.0.1"

    def __init__(self, entries: Sequence[str]) -> None:
        self._settings = dict(entry.split("=", 1) for entry in entries) | {"tickTime": "2000"}
        self._directory = Path(tempfile.mkdtemp())
        self._server = self._new_server()
        self.running = False

    def _new_server(self) -> ZooKeeperProcess:
        return embedded_server(self._directory, **self._settings)

    @property
    def address(self) -> str:
        return self._server.address

    @property
    def secure_address(self) -> str:
        return "127.0.0.1:1"

    @property
    def client_port(self) -> int:
        return self._server.port

    def run(self) -> None:
        if not self.running:
            self._directory.mkdir(exist_ok=True)
            self._server.config_file.write_text(self._server.config_text)
            self._server.start()
            self.running = True

    def stop(self) -> None:
        self._server.stop()
        self.running = False

    def destroy(self) -> None:
        self.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def reset(self) -> None:
        self.stop()
        shutil.rmtree(self._directory / "data", ignore_errors=True)

    def get_logs(self) -> list[str]:
        return self._server.log.read_text().splitlines()[-100:] if self._server.log.exists() else []


class ZookeeperCluster:
    def __init__(self, configuration_entries: Sequence[str] = (), java_system_properties: Sequence[str] = (), **_: Any):
        properties = [entry.removeprefix("-D") for entry in java_system_properties if entry.startswith("-Dzookeeper.")]
        self._servers = [ManagedZooKeeper([*configuration_entries, *properties])]

    def __getitem__(self, index: int) -> ManagedZooKeeper:
        return self._servers[index]

    def __iter__(self) -> Iterator[ManagedZooKeeper]:
        return iter(self._servers)

    def start(self) -> None:
        for server in self:
            server.run()

    def stop(self) -> None:
        for server in self:
            server.stop()

    def terminate(self) -> None:
        for server in self:
            server.destroy()

    def reset(self) -> None:
        for server in self:
            server.reset()

    def get_logs(self) -> list[str]:
        return [line for server in self for line in server.get_logs()]


def count(type_name: str) -> int:
    """The one function of the package objgraph that kazoo's tests use: how many objects of this type are alive."""
    return sum(type(found).__name__ == type_name for found in gc.get_objects())


def _stand_in(name: str, **contents: Any) -> None:
    module = ModuleType(name)
    module.__dict__.update(contents)
    sys.modules[name] = module


_stand_in("kazoo.testing.common", ManagedZooKeeper=ManagedZooKeeper, ZookeeperCluster=ZookeeperCluster)
_stand_in("objgraph", count=count)
