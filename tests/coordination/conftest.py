"""`zookeeper_address`: every test that uses it runs against the embedded server and against Debian's ZooKeeper."""

from collections.abc import Callable, Iterator

import pytest

from support.zookeepers import ZooKeeperProcess, debian_server, embedded_server

SERVERS = {"embedded": embedded_server, "debian": debian_server}


@pytest.fixture(scope="session")
def zookeeper_by_name(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], ZooKeeperProcess]]:
    """The server of this name, started by the first test that wants it. It is shared: use paths of your own."""
    started: dict[str, ZooKeeperProcess] = {}

    def get(name: str) -> ZooKeeperProcess:
        if name not in started:
            server = SERVERS[name](tmp_path_factory.mktemp(name))
            server.start()
            started[name] = server
        return started[name]

    yield get
    for server in started.values():
        server.stop()


@pytest.fixture(scope="session", params=list(SERVERS))
def zookeeper_address(request: pytest.FixtureRequest, zookeeper_by_name: Callable[[str], ZooKeeperProcess]) -> str:
    """host:port of a running server, embedded and Debian's in turn."""
    return zookeeper_by_name(request.param).address
