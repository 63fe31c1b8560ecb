import pytest

from ottla.config import BrokerConfig, ConfigSource
from ottla.errors import ConfigError


def load(**properties: str) -> BrokerConfig:
    """Keys with underscores for dots, which keeps the tests short."""
    return BrokerConfig.load({key.replace("_", "."): value for key, value in properties.items()})


def test_defaults_are_kafkas_except_that_a_broker_stays_on_loopback_and_under_data() -> None:
    config = BrokerConfig.load({})
    assert [str(endpoint) for endpoint in config.listeners] == ["PLAINTEXT://localhost:9092"]
    assert config.log_dirs == ("./data/logs",)
    assert config.string("zookeeper.connect") is None
    assert config.int("queued.max.request.bytes") == 64 * 1024 * 1024
    assert config.int("num.partitions") == 1
    assert config.bool("auto.create.topics.enable") is True
    assert config.double("log.cleaner.min.cleanable.ratio") == 0.5
    assert config.list("log.cleanup.policy") == ["delete"]
    assert config.password("ssl.key.password") is None
    assert config.warnings == config.notes == ()


@pytest.mark.parametrize(
    ("properties", "milliseconds"),
    [
        ({}, 168 * 3_600_000),
        ({"log.retention.hours": "1"}, 3_600_000),
        ({"log.retention.hours": "1", "log.retention.minutes": "2"}, 120_000),
        ({"log.retention.hours": "1", "log.retention.minutes": "2", "log.retention.ms": "3"}, 3),
        ({"log.retention.minutes": "-1"}, -1),
        ({"log.retention.ms": "-1", "log.retention.hours": "5"}, -1),
    ],
)
def test_milliseconds_win_over_minutes_and_minutes_over_hours(properties: dict[str, str], milliseconds: int) -> None:
    config = BrokerConfig.load(properties)
    assert config.int("log.retention.ms") == milliseconds
    assert config.topic_config({}).retention_ms == milliseconds


def test_flush_interval_falls_back_to_the_schedulers_and_connection_timeout_to_the_sessions() -> None:
    config = load(log_flush_scheduler_interval_ms="7", zookeeper_session_timeout_ms="9000")
    assert config.int("log.flush.interval.ms") == 7
    assert config.int("zookeeper.connection.timeout.ms") == 9000
    assert load(zookeeper_connection_timeout_ms="5").int("zookeeper.connection.timeout.ms") == 5


def test_old_names_count_where_the_present_ones_are_not_set() -> None:
    assert load(log_dir="/a").log_dirs == ("/a",)
    assert load(log_dir="/a", log_dirs="/b, /c").log_dirs == ("/b", "/c")
    assert load(log_delete_delay_ms="5").topic_config({}).file_delete_delay_ms == 5
    assert load(node_id="3").int("broker.id") == 3
    with pytest.raises(ConfigError, match="must be equal"):
        load(node_id="3", broker_id="4")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("process.roles", "broker,controller"),
        ("controller.quorum.voters", "1@localhost:9093"),
        ("controller.quorum.bootstrap.servers", "localhost:9093"),
        ("controller.listener.names", "CONTROLLER"),
    ],
)
@pytest.mark.parametrize("others", [{}, {"zookeeper.connect": "localhost:2181"}, {"listeners": "CONTROLLER://:9093"}])
def test_a_quorum_of_kafkas_own_is_refused_with_what_to_write_instead(
    key: str, value: str, others: dict[str, str]
) -> None:
    with pytest.raises(ConfigError, match=f"^{key}: Kafka's own quorum") as refused:
        BrokerConfig.load({"node.id": "7", key: value, **others})
    assert "    broker.id=7\n    zookeeper.connect=" in str(refused.value)


def test_keys_of_a_quorum_that_say_nothing_are_taken() -> None:
    assert BrokerConfig.load({"process.roles": "", "controller.quorum.voters": " "}).int("broker.id") == -1


def test_an_unknown_key_is_a_warning_that_names_the_nearest_one() -> None:
    config = BrokerConfig.load({"num.partitons": "4", "zzz": "1"})
    assert config.warnings == ("unknown key num.partitons: did you mean num.partitions?", "unknown key zzz")
    assert config.originals["zzz"] == "1"


def test_a_key_without_effect_is_noted_with_the_reason() -> None:
    (note,) = BrokerConfig.load({"num.io.threads": "16", "num.partitions": "2"}).notes
    assert note.startswith("num.io.threads has no effect: one event loop")


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("num.partitions", "0", "Value must be at least 1"),
        ("num.partitions", "many", "Not a number of type INT"),
        ("num.partitions", "99999999999", "Not a number of type INT"),
        ("ottla.metrics.port", "70000", "Value must be no more than 65535"),
        ("auto.create.topics.enable", "yes", "Expected value to be either true or false"),
        ("compression.type", "brotli", "String must be one of: uncompressed, zstd, lz4, snappy, gzip, producer"),
        ("compression.gzip.level", "0", "Value must be between 1 and 9 or equal to -1"),
        ("log.cleanup.policy", "delete,shred", "String must be one of: compact, delete"),
        ("log.cleaner.min.cleanable.ratio", "1.5", "Value must be no more than 1"),
        ("inter.broker.protocol.version", "0.7", "not a version of Kafka's"),
    ],
)
def test_a_bad_value_is_an_error_that_says_what_is_allowed(key: str, value: str, allowed: str) -> None:
    with pytest.raises(ConfigError, match="Invalid value .* for configuration " + key) as caught:
        BrokerConfig.load({key: value})
    assert allowed in str(caught.value)


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"log.retention.ms": "0"}, "must be unlimited"),
        ({"zookeeper.ssl.client.enable": "true"}, "in plain text"),
        ({"authorizer.class.name": "kafka.security.authorizer.AclAuthorizer"}, "without ACLs everybody may read"),
        ({"log.roll.ms": "0"}, "log.roll.ms"),
        ({"broker.id": "1001"}, "not greater than 1000"),
        ({"broker.id.generation.enable": "false"}, "equal or greater than 0"),
        ({"log.dirs": " , "}, "At least one log directory"),
        ({"log.dirs": "/a,/a"}, "twice"),
        ({"replica.fetch.wait.max.ms": "40000"}, "replica.socket.timeout.ms"),
        ({"log.cleaner.threads": "128"}, "1MB per cleaner thread"),
        ({"group.min.session.timeout.ms": "9999999"}, "group.max.session.timeout.ms"),
        ({"offsets.commit.required.acks": "4"}, "offsets.topic.replication.factor"),
    ],
)
def test_keys_that_contradict_each_other_are_an_error(properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        BrokerConfig.load(properties)


def test_asking_for_a_key_that_is_none_or_has_another_type_is_our_mistake() -> None:
    config = BrokerConfig.load({})
    with pytest.raises(AssertionError, match="no broker key"):
        config.int("num.partitons")
    with pytest.raises(AssertionError, match="is a INT"):
        config.bool("num.partitions")
    with pytest.raises(AssertionError, match="has no value"):
        config.int("sasl.login.read.timeout.ms")


def test_a_listeners_own_value_wins_for_that_listener_only() -> None:
    config = BrokerConfig.load(
        {
            "listeners": "PLAINTEXT://:9092,INTERNAL://:9093",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT",
            "max.connections": "10",
            "listener.name.internal.max.connections": "3",
        }
    )
    assert config.int("max.connections", "INTERNAL") == 3
    assert config.int("max.connections", "PLAINTEXT") == config.int("max.connections") == 10
    assert config.warnings == ()


def test_the_nearest_layer_wins_and_its_source_is_told() -> None:
    config = BrokerConfig.load({"log.cleaner.threads": "4"})
    assert config.value_source("log.cleaner.threads") is ConfigSource.STATIC
    config.update_dynamic(cluster_default={"log.cleaner.threads": "3"})
    assert config.value_source("log.cleaner.threads") is ConfigSource.DYNAMIC_DEFAULT
    config.update_dynamic(per_broker={"log.cleaner.threads": "2"})
    assert (config.int("log.cleaner.threads"), config.value_source("log.cleaner.threads")) == (
        2,
        ConfigSource.DYNAMIC_BROKER,
    )
    config.update_dynamic(per_broker={}, cluster_default={})
    assert config.int("log.cleaner.threads") == 4
    assert config.value_source("num.partitions") is ConfigSource.DEFAULT


def test_subscribers_hear_what_changed_and_see_the_new_values() -> None:
    config = BrokerConfig.load({"log.retention.hours": "1"})
    heard: list[tuple[frozenset[str], int]] = []
    unsubscribe = config.subscribe(lambda changed: heard.append((changed, config.topic_config({}).retention_ms)))
    changed = config.update_dynamic(cluster_default={"log.retention.ms": "5000"})
    assert changed == {"log.retention.ms"}
    assert config.update_dynamic(cluster_default={"log.retention.ms": "5000"}) == frozenset()
    unsubscribe()
    config.update_dynamic(cluster_default={})
    assert heard == [(changed, 5000)]


def test_a_dynamic_change_that_cannot_be_changes_nothing() -> None:
    config = BrokerConfig.load({})
    before = dict.fromkeys(config.describe())
    for bad in ({"log.retention.ms": "0"}, {"log.retention.ms": "soon"}):
        with pytest.raises(ConfigError):
            config.update_dynamic(cluster_default=bad)
    assert dict.fromkeys(config.describe()) == before


def test_the_effective_configuration_marks_overridden_keys_and_hides_passwords() -> None:
    config = BrokerConfig.load({"num.partitions": "4", "ssl.key.password": "secret"})
    shown = {line.name: line for line in config.describe()}
    assert (shown["num.partitions"].text, shown["num.partitions"].source) == ("4", ConfigSource.STATIC)
    assert shown["ssl.key.password"].text == "[hidden]"
    assert shown["zookeeper.connect"].text is None
    assert shown["log.segment.bytes"].source is ConfigSource.DEFAULT
    assert str(shown["num.partitions"]) == "* num.partitions = 4"
    assert str(shown["zookeeper.connect"]) == "  zookeeper.connect = null"
