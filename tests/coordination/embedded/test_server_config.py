"""zoo.cfg: ZooKeeper's keys, and what is refused."""

import pytest

from ottla.coordination.embedded.server_config import config_from_properties, is_loopback, parse_properties
from ottla.errors import ConfigError


def test_zookeepers_own_example_gives_zookeepers_values() -> None:
    config = config_from_properties(
        parse_properties(
            """
            # The number of milliseconds of each tick
            tickTime=2000
            initLimit=10
            syncLimit = 5
            dataDir=/tmp/zookeeper
            clientPort=2181
            maxClientCnxns=60
            autopurge.snapRetainCount=3
            4lw.commands.whitelist=stat, ruok
            """
        )
    )
    assert (config.data_dir, config.client_port, config.tick_time_ms) == ("/tmp/zookeeper", 2181, 2000)
    assert config.session_timeout_range_ms == (4000, 40000)
    assert config.four_letter_words == {"stat", "ruok"}


def test_session_timeouts_can_be_set() -> None:
    config = config_from_properties({"dataDir": "d", "minSessionTimeout": "100", "maxSessionTimeout": "900"})
    assert config.session_timeout_range_ms == (100, 900)


def test_java_system_properties_are_taken_like_keys() -> None:
    config = config_from_properties({"dataDir": "d", "zookeeper.forceSync": "no", "zookeeper.snapCount": "7"})
    assert (config.force_sync, config.snap_count) == (False, 7)


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({}, "dataDir is missing"),
        ({"dataDir": "d", "clientPort": "x"}, "clientPort=x"),
        ({"dataDir": "d", "forceSync": "perhaps"}, "forceSync=perhaps"),
        ({"dataDir": "d", "minSessionTimeout": "9", "maxSessionTimeout": "3"}, "minSessionTimeout"),
        ({"dataDir": "d", "server.1": "a:1:2", "server.2": "b:1:2"}, "runs alone"),
        ({"dataDir": "d", "clientPortAddress": "0.0.0.0"}, "requireClientAuth"),
        ({"dataDir": "d", "requireClientAuth": "secret"}, "user:password"),
    ],
)
def test_what_cannot_be_is_named(properties: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config_from_properties(properties)


def test_secrets_do_not_show_in_a_config_that_is_printed() -> None:
    assert "secret" not in repr(config_from_properties({"dataDir": "d", "requireClientAuth": "bob:secret"}))


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.1.2.3", True), ("localhost", True), ("", False), ("0.0.0.0", False)],
)
def test_loopback_is_recognised(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
