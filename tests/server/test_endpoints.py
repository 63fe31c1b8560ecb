import pytest

from ottla.config import BrokerConfig
from ottla.errors import ConfigError
from ottla.server import AdvertisedEndpoint, ListenerSpec, ServerLimits, plan_listeners, resolve_advertised


def specs_of(properties: dict[str, str]) -> tuple[ListenerSpec, ...]:
    config = BrokerConfig.load(properties)
    return plan_listeners(config.listeners, config.inter_broker_listener_name, config.control_plane_listener_name)


PROTOCOLS = "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROL:PLAINTEXT"


def test_broker_listens_on_loopback_unless_told():
    (spec,) = specs_of({})
    assert (spec.host, spec.port) == ("localhost", 9092)
    assert not spec.is_control


def test_older_keys_make_one_listener():
    (spec,) = specs_of({"host.name": "127.0.0.1", "port": "9000"})
    assert str(spec) == "PLAINTEXT://127.0.0.1:9000"


def test_listener_between_brokers_is_apart_only_where_clients_have_another_one():
    both = {
        "listeners": "CLIENT://:9092,INTERNAL://:9093",
        "listener.security.protocol.map": PROTOCOLS,
        "inter.broker.listener.name": "INTERNAL",
    }
    assert [(spec.name, spec.is_control) for spec in specs_of(both)] == [("CLIENT", False), ("INTERNAL", True)]
    alone = both | {"listeners": "INTERNAL://:9093"}
    assert [(spec.name, spec.is_control) for spec in specs_of(alone)] == [("INTERNAL", False)]


def test_listener_of_the_control_plane_is_apart_also_where_clients_and_brokers_share_the_other():
    specs = specs_of(
        {
            "listeners": "CLIENT://:9092,CONTROL://:9094",
            "listener.security.protocol.map": PROTOCOLS,
            "inter.broker.listener.name": "CLIENT",
            "control.plane.listener.name": "CONTROL",
        }
    )
    assert [(spec.name, spec.is_control) for spec in specs] == [("CLIENT", False), ("CONTROL", True)]


@pytest.mark.parametrize(
    ("listeners", "between_brokers", "control_plane", "serve_brokers"),
    [
        ("CLIENT://:9092,INTERNAL://:9093", "INTERNAL", "", [False, True]),
        ("CLIENT://:9092,CONTROL://:9094", "CLIENT", "CONTROL", [True, True]),
        ("CLIENT://:9092,INTERNAL://:9093,CONTROL://:9094", "INTERNAL", "CONTROL", [False, True, True]),
        ("CLIENT://:9092", "CLIENT", "", [True]),
    ],
)
def test_brokers_are_served_where_the_configuration_sends_them(
    listeners: str, between_brokers: str, control_plane: str, serve_brokers: list[bool]
):
    properties = {
        "listeners": listeners,
        "listener.security.protocol.map": PROTOCOLS,
        "inter.broker.listener.name": between_brokers,
    }
    if control_plane:
        properties["control.plane.listener.name"] = control_plane
    assert [spec.serves_brokers for spec in specs_of(properties)] == serve_brokers


def test_protocol_that_is_not_built_is_an_error_that_says_so():
    with pytest.raises(ConfigError, match="listener SSL: SSL is not supported yet, only PLAINTEXT"):
        specs_of({"listeners": "SSL://localhost:9093", "security.inter.broker.protocol": "SSL"})


def test_clients_are_told_the_port_that_was_bound_and_a_host_they_can_reach():
    config = BrokerConfig.load({"listeners": "CLIENT://:0", "listener.security.protocol.map": PROTOCOLS})
    advertised = resolve_advertised(config.advertised_listeners, {"CLIENT": 4711}, lambda: "broker.example")
    assert advertised == {"CLIENT": AdvertisedEndpoint("broker.example", 4711)}


def test_clients_are_told_what_is_configured_for_their_listener():
    config = BrokerConfig.load(
        {
            "listeners": "CLIENT://0.0.0.0:9092,INTERNAL://127.0.0.1:0",
            "advertised.listeners": "CLIENT://public.example:19092,INTERNAL://private.example:0",
            "listener.security.protocol.map": PROTOCOLS,
            "inter.broker.listener.name": "INTERNAL",
        }
    )
    advertised = resolve_advertised(config.advertised_listeners, {"CLIENT": 9092, "INTERNAL": 4711})
    assert advertised == {
        "CLIENT": AdvertisedEndpoint("public.example", 19092),
        "INTERNAL": AdvertisedEndpoint("private.example", 4711),
    }


def test_ipv6_address_is_written_in_brackets():
    assert str(ListenerSpec(name="A", host="::1", port=1)) == "A://[::1]:1"


def test_defaults_of_the_configuration_are_the_defaults_of_the_limits():
    assert ServerLimits.from_config(BrokerConfig.load({})) == ServerLimits()


def test_limits_are_read_from_the_configuration():
    limits = ServerLimits.from_config(
        BrokerConfig.load(
            {
                "max.connections.per.ip": "7",
                "max.connections.per.ip.overrides": "127.0.0.1:100, ::1:200",
                "queued.max.request.bytes": "-1",
                "socket.send.buffer.bytes": "4096",
            }
        )
    )
    assert limits.max_connections_per_ip == 7
    assert limits.max_connections_per_ip_overrides == {"127.0.0.1": 100, "::1": 200}
    assert limits.queued_max_request_bytes > 2**60
    assert limits.socket_send_buffer_bytes == 4096
    assert limits.socket_receive_buffer_bytes is None


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:x", ":5"])
def test_bad_override_is_an_error_that_shows_it(text: str):
    with pytest.raises(ConfigError, match="host:count"):
        ServerLimits.from_config(BrokerConfig.load({"max.connections.per.ip.overrides": text}))
