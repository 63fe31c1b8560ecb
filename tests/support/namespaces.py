"""Brokers in network namespaces of their own, whose links can be cut one by one, in one direction or in both.

    root namespace    bridge, .1: ZooKeeper, the clients
    namespace N       veth, .(10+N): broker N; nftables drop what comes from the addresses in its set `cut`

A cut drops packets and tells nobody, as a broken switch does. Needs root; what is not here is skipped loudly.
"""

import itertools
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from support.broker import OttlaProcess
from support.cluster import Cluster, running_cluster
from support.peers import absent, require_command
from support.zookeepers import debian_server

_PORT = 9092
_RULES = """
table inet part {
    set cut { type ipv4_addr; }
    chain input { type filter hook input priority 0; ip saddr @cut drop; }
}
"""
_numbers = itertools.count()


class Namespaces:
    """A bridge and a namespace for each broker; all gone when it is closed."""

    def __init__(self, count: int) -> None:
        if os.geteuid() != 0:
            absent("root, who can make network namespaces,")
        self._ip = require_command("ip")
        self._nft = require_command("nft")
        name = f"ot{os.getpid() % 100000}{next(_numbers)}"
        self._subnet = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 200 + next(_numbers)}"
        self._bridge = name
        self._names = {number: f"{name}n{number}" for number in range(count)}
        self.gateway = f"{self._subnet}.1"

    def open(self) -> None:
        self._run("link", "add", self._bridge, "type", "bridge")
        self._run("addr", "add", f"{self.gateway}/24", "dev", self._bridge)
        self._run("link", "set", self._bridge, "up")
        for number, name in self._names.items():
            self._open_one(number, name)

    def _open_one(self, number: int, name: str) -> None:
        outside, inside = f"{self._bridge}v{number}", f"{self._bridge}i{number}"
        self._run("netns", "add", name)
        self._run("link", "add", outside, "type", "veth", "peer", "name", inside)
        self._run("link", "set", inside, "netns", name)
        self._run("link", "set", outside, "master", self._bridge, "up")
        self._run("-n", name, "addr", "add", f"{self.address(number)}/24", "dev", inside)
        self._run("-n", name, "link", "set", inside, "up")
        self._run("-n", name, "link", "set", "lo", "up")
        self._rules(number, _RULES)

    def close(self) -> None:
        for name in self._names.values():
            subprocess.run([self._ip, "netns", "del", name], check=False, capture_output=True)
        subprocess.run([self._ip, "link", "del", self._bridge], check=False, capture_output=True)

    def address(self, number: int) -> str:
        return f"{self._subnet}.{10 + number}"

    def command(self, number: int) -> tuple[str, ...]:
        """What runs a program in the broker's namespace."""
        return (self._ip, "netns", "exec", self._names[number])

    def cut(self, source: int, target: int) -> None:
        """Nothing from one broker reaches the other; the other direction works."""
        self._rules(target, f"add element inet part cut {{ {self.address(source)} }}")

    def heal(self) -> None:
        for number in self._names:
            self._rules(number, "flush set inet part cut")

    def _rules(self, number: int, text: str) -> None:
        subprocess.run([*self.command(number), self._nft, "-f", "-"], input=text, text=True, check=True)

    def _run(self, *arguments: str) -> None:
        subprocess.run([self._ip, *arguments], check=True)


class NamespacedBroker(OttlaProcess):
    """`ottla start` in a namespace, on that one's address."""

    def __init__(self, namespaces: Namespaces, directory: Path, properties: Mapping[str, str]) -> None:
        super().__init__(directory, properties)
        number = int(properties["broker.id"])
        self.address = f"{namespaces.address(number)}:{_PORT}"
        self.properties["listeners"] = f"PLAINTEXT://{self.address}"
        self._prefix = namespaces.command(number)

    def launch(self, prefix: tuple[str, ...] = ()) -> None:
        super().launch((*self._prefix, *prefix))


@contextmanager
def namespaced_cluster(directory: Path, count: int = 3) -> Iterator[tuple[Cluster, Namespaces]]:
    """On Debian's ZooKeeper: the embedded one listens on loopback only."""
    namespaces = Namespaces(count)
    server = debian_server(directory / "zookeeper", clientPortAddress="0.0.0.0")
    addresses = dict.fromkeys(range(count), f"{namespaces.gateway}:{server.port}")
    try:
        namespaces.open()
        server.start()
        cluster = Cluster(
            directory, server, count, {}, addresses, lambda path, given: NamespacedBroker(namespaces, path, given)
        )
        with running_cluster(cluster, server):
            yield cluster, namespaces
    finally:
        server.kill()
        namespaces.close()
