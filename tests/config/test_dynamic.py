import logging

import pytest

from ottla.config import BrokerConfig
from ottla.config.dynamic import apply_found, check_alteration, check_storable, is_per_broker
from ottla.errors import ConfigError


@pytest.mark.parametrize(
    ("texts", "per_broker", "message"),
    [
        ({"num.partitions": "3"}, True, "Cannot update these configs dynamically: Set(num.partitions)"),
        (
            {"log.dirs": "/a", "broker.id": "1", "log.cleaner.threads": "2"},
            False,
            "Cannot update these configs dynamically: Set(broker.id, log.dirs)",
        ),
        (
            {"ssl.keystore.location": "/k"},
            True,
            "These security configs can be dynamically updated only per-listener using the listener prefix: "
            "Set(ssl.keystore.location)",
        ),
        ({"log.cleaner.threads": "x"}, True, "Invalid value x for configuration log.cleaner.threads: Not a number"),
        (
            {"listeners": "PLAINTEXT://localhost:9093"},
            False,
            "Cannot update these configs at default cluster level, broker id must be specified: Set(listeners)",
        ),
        ({"log.retention.ms": "0"}, False, "log.retention.ms must be unlimited"),
    ],
)
def test_what_may_not_change_is_refused_in_kafkas_words(texts: dict[str, str], per_broker: bool, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_alteration(BrokerConfig.load({}), texts, per_broker=per_broker)
    assert message in str(caught.value)


def test_what_may_change_passes_and_changes_nothing_yet() -> None:
    config = BrokerConfig.load({})
    check_alteration(config, {"log.cleaner.threads": "2", "my.own.key": "x"}, per_broker=False)
    check_alteration(config, {"listener.name.plaintext.ssl.keystore.location": "/k"}, per_broker=True)
    assert config.int("log.cleaner.threads") == 1


def test_listener_limits_may_be_set_for_the_cluster_but_listeners_may_not() -> None:
    assert not is_per_broker("listener.name.internal.max.connections")
    assert not is_per_broker("max.connections")
    assert is_per_broker("listener.name.internal.ssl.keystore.location")
    assert is_per_broker("advertised.listeners")


def test_what_somebody_wrote_to_zookeeper_is_taken_as_far_as_it_can_be(caplog: pytest.LogCaptureFixture) -> None:
    config = BrokerConfig.load({})
    with caplog.at_level(logging.ERROR):
        changed = apply_found(
            config,
            per_broker={"log.cleaner.threads": "2", "num.partitions": "9", "max.connections": "-5"},
            cluster_default={"listeners": "PLAINTEXT://localhost:1"},
        )
    assert changed == {"log.cleaner.threads"}
    assert len(caplog.records) == 3
    caplog.clear()
    with caplog.at_level(logging.ERROR):
        assert apply_found(config, cluster_default={"log.retention.ms": "0"}) == frozenset()
    assert "not applied" in caplog.text
    assert config.int("log.cleaner.threads") == 2


@pytest.mark.parametrize(
    "key",
    [
        "listener.name.external.ssl.keystore.password",
        "listener.name.external.ssl.key.password",
        "listener.name.external.plain.sasl.jaas.config",
        "ssl.truststore.password",
    ],
)
def test_password_is_not_stored_where_zookeeper_would_show_it(key: str) -> None:
    with pytest.raises(ConfigError, match="Password encoder secret not configured"):
        check_storable(BrokerConfig.load({}), {key: "secret"})
    with pytest.raises(ConfigError, match="cannot be set dynamically"):
        check_storable(BrokerConfig.load({"password.encoder.secret": "s"}), {key: "secret"})


def test_other_keys_are_stored_with_or_without_a_secret() -> None:
    check_storable(BrokerConfig.load({}), {"log.cleaner.threads": "2", "my.password.file": "x"})
