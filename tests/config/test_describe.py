from ottla.config import BrokerConfig, ConfigSource
from ottla.config.describe import (
    ConfigEntry,
    Synonym,
    describe_broker,
    describe_cluster_default,
    describe_topic,
)
from ottla.config.keys import topic_keys
from ottla.config.sources import ConfigType


def broker_entry(config: BrokerConfig, name: str) -> ConfigEntry:
    (entry,) = describe_broker(config, [name])
    return entry


def topic_entry(config: BrokerConfig, overrides: dict[str, str], name: str) -> ConfigEntry:
    (entry,) = describe_topic(config, overrides, [name])
    return entry


def test_a_brokers_key_tells_every_layer_nearest_first_as_recorded_from_kafka() -> None:
    config = BrokerConfig.load({})
    config.update_dynamic(per_broker={"log.cleaner.threads": "2"}, cluster_default={"log.cleaner.threads": "3"})
    entry = broker_entry(config, "log.cleaner.threads")
    assert (entry.value, entry.source, entry.type, entry.is_read_only) == (
        "2",
        ConfigSource.DYNAMIC_BROKER,
        ConfigType.INT,
        False,
    )
    assert entry.synonyms == (
        Synonym("log.cleaner.threads", "2", ConfigSource.DYNAMIC_BROKER),
        Synonym("log.cleaner.threads", "3", ConfigSource.DYNAMIC_DEFAULT),
        Synonym("log.cleaner.threads", "1", ConfigSource.DEFAULT),
    )


def test_a_topics_key_tells_the_brokers_key_it_falls_back_to_as_recorded_from_kafka() -> None:
    overrides = {"max.message.bytes": "64000", "retention.ms": "100000"}
    config = BrokerConfig.load({})
    assert topic_entry(config, overrides, "max.message.bytes").synonyms == (
        Synonym("max.message.bytes", "64000", ConfigSource.DYNAMIC_TOPIC),
        Synonym("message.max.bytes", "1048588", ConfigSource.DEFAULT),
    )
    assert topic_entry(config, overrides, "retention.ms").synonyms == (
        Synonym("retention.ms", "100000", ConfigSource.DYNAMIC_TOPIC),
    )


def test_a_topic_without_an_override_has_the_brokers_source() -> None:
    config = BrokerConfig.load({"log.segment.bytes": "2000", "log.cleanup.policy": "compact,delete"})
    assert topic_entry(config, {}, "segment.bytes")[1:3] == ("2000", ConfigSource.STATIC)
    assert topic_entry(config, {}, "cleanup.policy").value == "compact,delete"
    entry = topic_entry(config, {}, "flush.ms")
    assert (entry.value, entry.is_default) == ("9223372036854775807", True)
    assert len(list(describe_topic(config, {}))) == len(topic_keys())


def test_a_coarser_form_is_told_beside_the_finer_one() -> None:
    config = BrokerConfig.load({"log.retention.hours": "5", "log.retention.ms": "7"})
    assert [entry.name for entry in broker_entry(config, "log.retention.ms").synonyms] == [
        "log.retention.ms",
        "log.retention.hours",
        "log.retention.hours",
    ]
    unset = broker_entry(BrokerConfig.load({"log.retention.hours": "5"}), "log.retention.ms")
    assert (unset.value, unset.synonyms) == (None, ())


def test_passwords_and_unknown_keys_are_told_without_their_values() -> None:
    config = BrokerConfig.load({"ssl.key.password": "hunter2", "my.key": "zq9"})
    for name in ("ssl.key.password", "my.key"):
        entry = broker_entry(config, name)
        assert entry.is_sensitive
        assert entry.value is None
        assert all(synonym.value is None for synonym in entry.synonyms)
    assert not any("hunter2" in str(entry) or "zq9" in str(entry) for entry in describe_broker(config))


def test_the_cluster_default_tells_only_what_is_set_there() -> None:
    config = BrokerConfig.load({})
    config.update_dynamic(per_broker={"log.cleaner.threads": "2"}, cluster_default={"log.cleaner.threads": "3"})
    (entry,) = describe_cluster_default(config)
    assert (entry.name, entry.value, entry.source) == ("log.cleaner.threads", "3", ConfigSource.DYNAMIC_DEFAULT)
    assert entry.synonyms == (Synonym("log.cleaner.threads", "3", ConfigSource.DYNAMIC_DEFAULT),)
