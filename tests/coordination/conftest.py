"""`zookeeper_address`: every test that uses it runs against the embedded server and against Debian's ZooKeeper."""

from collections.abc import Iterator

import pytest

from support.zookeepers import ZooKeeperProcess, debian_server, embedded_server

SERVERS = {"embedded": embedded_server, "debian": debian_server}


@pytest.fixture(scope="session")
def zookeeper_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, ZooKeeperProcess]]:
    """The servers that were wanted so far, by name; each starts with the first test that needs it."""
    started: dict[str, ZooKeeperProcess] = {}
    yield started
    for server in started.values():
        server.stop()


@pytest.fixture(scope="session", params=list(SERVERS))
def zookeeper_server(
    request: pytest.FixtureRequest,
    zookeeper_servers: dict[str, ZooKeeperProcess],
    tmp_path_factory: pytest.TempPathFactory,
) -> ZooKeeperProcess:
    name: str = request.param
    if name not in zookeeper_servers:
        server = SERVERS[name](tmp_path_factory.mktemp(name))
        server.start()
        zookeeper_servers[name] = server
    return zookeeper_servers[name]


@pytest.fixture(scope="session")
def zookeeper_address(zookeeper_server: ZooKeeperProcess) -> str:
    """host:port of a running server, embedded and Debian's in turn. It is shared: use paths of your own."""
    return zookeeper_server.address
