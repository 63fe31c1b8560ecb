import pytest

from ottla.config import BrokerConfig
from ottla.config.listeners import Endpoint
from ottla.errors import ConfigError

TWO = {
    "listeners": "PLAINTEXT://:9092, INTERNAL://10.0.0.1:9093",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INTERNAL:SASL_PLAINTEXT",
}


def test_an_empty_host_is_every_interface_and_names_stand_for_protocols() -> None:
    config = BrokerConfig.load(TWO)
    assert config.listeners == (
        Endpoint("PLAINTEXT", "PLAINTEXT", "", 9092),
        Endpoint("INTERNAL", "SASL_PLAINTEXT", "10.0.0.1", 9093),
    )


def test_clients_are_told_the_listeners_unless_others_are_advertised() -> None:
    assert BrokerConfig.load(TWO).advertised_listeners == BrokerConfig.load(TWO).listeners
    config = BrokerConfig.load(TWO | {"advertised.listeners": "PLAINTEXT://kafka.example:19092,INTERNAL://[::1]:9093"})
    assert [str(endpoint) for endpoint in config.advertised_listeners] == [
        "PLAINTEXT://kafka.example:19092",
        "INTERNAL://[::1]:9093",
    ]


def test_the_manuals_host_and_port_make_one_plaintext_listener() -> None:
    config = BrokerConfig.load({"host.name": "0.0.0.0", "port": "9999", "advertised.host.name": "kafka.example"})
    assert config.listeners == (Endpoint("PLAINTEXT", "PLAINTEXT", "0.0.0.0", 9999),)
    assert config.advertised_listeners == (Endpoint("PLAINTEXT", "PLAINTEXT", "kafka.example", 9999),)
    assert BrokerConfig.load({"port": "9093"}).listeners[0].host == "localhost"


def test_the_newer_keys_win_over_the_manuals() -> None:
    config = BrokerConfig.load({"port": "9999", "listeners": "PLAINTEXT://localhost:9092"})
    assert config.listeners[0].port == 9092


def test_brokers_use_the_named_listener_or_the_first_of_their_protocol() -> None:
    assert BrokerConfig.load(TWO).inter_broker_listener_name == "PLAINTEXT"
    named = BrokerConfig.load(TWO | {"inter.broker.listener.name": "internal"})
    assert named.inter_broker_listener_name == "INTERNAL"
    by_protocol = BrokerConfig.load(TWO | {"security.inter.broker.protocol": "SASL_PLAINTEXT"})
    assert by_protocol.inter_broker_listener_name == "INTERNAL"


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"listeners": "localhost:9092"}, "NAME://host:port"),
        ({"listeners": "PLAINTEXT://localhost:99999"}, "NAME://host:port"),
        ({"listeners": ""}, "at least one"),
        ({"listeners": "PLAINTEXT://:9092,PLAINTEXT://:9093"}, "different name"),
        ({"listeners": "PLAINTEXT://:9092,SSL://:9092"}, "different port"),
        ({"listeners": "CLIENT://:9092"}, "No security protocol defined for listener CLIENT"),
        ({"listener.security.protocol.map": "PLAINTEXT:TELNET"}, "PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ({"advertised.listeners": "PLAINTEXT://0.0.0.0:9092"}, "nonroutable meta-address"),
        ({"advertised.listeners": "SSL://kafka.example:9092"}, "not among the listeners"),
        ({"inter.broker.listener.name": "INTERNAL"}, "not among the listeners"),
        ({"inter.broker.listener.name": "PLAINTEXT", "security.inter.broker.protocol": "PLAINTEXT"}, "Only one of"),
        ({"control.plane.listener.name": "CONTROLLER"}, "not among the listeners"),
        ({"control.plane.listener.name": "PLAINTEXT"}, "must differ"),
    ],
)
def test_a_listener_that_cannot_be_is_an_error(properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        BrokerConfig.load(properties)


def test_listeners_on_any_port_may_share_it() -> None:
    config = BrokerConfig.load({"listeners": "PLAINTEXT://localhost:0,SSL://localhost:0"})
    assert [endpoint.port for endpoint in config.listeners] == [0, 0]
