import pytest

from ottla.config import BrokerConfig, TopicConfig, validate_topic_config
from ottla.config.keys import topic_keys
from ottla.errors import ConfigError

CONFIG = BrokerConfig.load({})


def test_every_topic_key_is_an_attribute() -> None:
    assert {name.replace(".", "_") for name in topic_keys()} | {"overrides"} == set(TopicConfig._fields)


def test_a_topic_without_overrides_has_kafkas_defaults() -> None:
    topic = CONFIG.topic_config({})
    assert topic.cleanup_policy == {"delete"}
    assert topic.retention_ms == topic.segment_ms == 604_800_000
    assert topic.max_message_bytes == 1_048_588
    assert not topic.is_flushed
    assert topic is CONFIG.topic_config({})


def test_overrides_win_over_the_brokers_defaults() -> None:
    config = BrokerConfig.load({"message.max.bytes": "5000", "log.segment.bytes": "1000"})
    topic = config.topic_config({"segment.bytes": "2000", "cleanup.policy": "compact, delete", "flush.messages": "1"})
    assert (topic.max_message_bytes, topic.segment_bytes) == (5000, 2000)
    assert topic.is_compacted
    assert topic.is_deleted
    assert topic.is_flushed
    assert topic.overrides["segment.bytes"] == "2000"


@pytest.mark.parametrize(
    ("max_message_bytes", "decompressed_bytes_max"),
    [("1048588", 16 << 20), ("1677721", 16 << 20), ("1677722", 16_777_220), ("3000000", 30_000_000)],
)
def test_a_batch_may_open_to_ten_times_the_largest_but_always_to_16_mib(
    max_message_bytes: str, decompressed_bytes_max: int
) -> None:
    topic = CONFIG.topic_config({"max.message.bytes": max_message_bytes})
    assert topic.decompressed_bytes_max == decompressed_bytes_max


def test_the_older_bound_on_a_records_time_counts_where_the_newer_are_not_set() -> None:
    topic = CONFIG.topic_config(
        {"message.timestamp.difference.max.ms": "50", "message.timestamp.after.max.ms": "7"},
    )
    assert (topic.message_timestamp_before_max_ms, topic.message_timestamp_after_max_ms) == (50, 7)


def test_throttled_replicas_are_pairs_or_a_star() -> None:
    validate_topic_config({"leader.replication.throttled.replicas": "*"})
    topic = CONFIG.topic_config({"follower.replication.throttled.replicas": "0:1,2:3"})
    assert topic.follower_replication_throttled_replicas == ("0:1", "2:3")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"nope": "1"}, "Unknown topic config name: nope"),
        ({"retention.ms": "-2"}, "Invalid value -2 for configuration retention.ms: Value must be at least -1"),
        ({"retention.ms": "x"}, "Invalid value x for configuration retention.ms: Not a number of type LONG"),
        ({"cleanup.policy": "burn"}, "for configuration cleanup.policy: String must be one of: compact, delete"),
        ({"message.timestamp.type": "Now"}, "String must be one of: CreateTime, LogAppendTime"),
        ({"min.cleanable.dirty.ratio": "-0.1"}, "Value must be at least 0"),
        ({"compression.zstd.level": "23"}, "Value must be no more than 22"),
        ({"leader.replication.throttled.replicas": "0-1"}, "must be the literal '*' or a list of replicas"),
        ({"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "4"}, "conflict topic config setting"),
        ({"remote.storage.enable": "true"}, "Tiered Storage functionality is disabled"),
    ],
)
def test_an_override_that_cannot_be_is_refused_in_kafkas_words(overrides: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        validate_topic_config(overrides)
    assert message in str(caught.value)
