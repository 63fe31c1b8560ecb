"""The configuration of one topic: its own overrides over the broker's defaults.

A TopicConfig never changes; a new one replaces it. Its attributes have the keys' names with underscores, except that
the two bounds of a record's time already take the older `message.timestamp.difference.max.ms` into account.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ottla.config.effective import parse_checked
from ottla.config.keys import topic_keys
from ottla.config.values import Value
from ottla.errors import ConfigError

LONG_MAX = (1 << 63) - 1
_DECOMPRESSED_BYTES_MIN = 16 * 1024 * 1024


class TopicConfig(NamedTuple):
    cleanup_policy: frozenset[str]
    compression_gzip_level: int
    compression_lz4_level: int
    compression_type: str
    compression_zstd_level: int
    delete_retention_ms: int
    file_delete_delay_ms: int
    flush_messages: int
    flush_ms: int
    follower_replication_throttled_replicas: tuple[str, ...]
    index_interval_bytes: int
    leader_replication_throttled_replicas: tuple[str, ...]
    local_retention_bytes: int
    local_retention_ms: int
    max_compaction_lag_ms: int
    max_message_bytes: int
    message_downconversion_enable: bool
    message_format_version: str
    message_timestamp_after_max_ms: int
    message_timestamp_before_max_ms: int
    message_timestamp_difference_max_ms: int
    message_timestamp_type: str
    min_cleanable_dirty_ratio: float
    min_compaction_lag_ms: int
    min_insync_replicas: int
    preallocate: bool
    remote_log_copy_disable: bool
    remote_log_delete_on_disable: bool
    remote_storage_enable: bool
    retention_bytes: int
    retention_ms: int
    segment_bytes: int
    segment_index_bytes: int
    segment_jitter_ms: int
    segment_ms: int
    unclean_leader_election_enable: bool
    overrides: Mapping[str, str]

    @property
    def is_compacted(self) -> bool:
        return "compact" in self.cleanup_policy

    @property
    def is_deleted(self) -> bool:
        """Whether old segments are deleted by retention (a topic may be both compacted and deleted)."""
        return "delete" in self.cleanup_policy

    @property
    def is_flushed(self) -> bool:
        """Whether `flush.messages` or `flush.ms` ask for more than the closing of segments gives."""
        return self.flush_messages != LONG_MAX or self.flush_ms != LONG_MAX

    @property
    def decompressed_bytes_max(self) -> int:
        """What a compressed batch may open to, wherever the broker opens one: 9 KB can hold 300 MB."""
        return max(_DECOMPRESSED_BYTES_MIN, 10 * self.max_message_bytes)


def validate_topic_config(overrides: Mapping[str, str]) -> None:
    """ConfigError, in Kafka's words, when a topic may not be given these overrides."""
    defaults = {name: parse_checked(key, key.default) for name, key in topic_keys().items()}
    build_topic_config(defaults, overrides)


def build_topic_config(defaults: Mapping[str, Value], overrides: Mapping[str, str]) -> TopicConfig:
    values: dict[str, Any] = dict(defaults)
    for name, text in overrides.items():
        key = topic_keys().get(name)
        if key is None:
            raise ConfigError(f"Unknown topic config name: {name}")
        values[name] = parse_checked(key, text)
    _check_together(values)
    bound = values["message.timestamp.difference.max.ms"]
    for name in ("message.timestamp.before.max.ms", "message.timestamp.after.max.ms"):
        values[name] = bound if values[name] == LONG_MAX else values[name]
    values["cleanup.policy"] = frozenset(values["cleanup.policy"])
    for name in ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas"):
        values[name] = tuple(values[name])
    attributes = {name.replace(".", "_"): value for name, value in values.items()}
    return TopicConfig(**attributes, overrides=dict(overrides))


def _check_together(values: Mapping[str, Any]) -> None:
    low, high = values["min.compaction.lag.ms"], values["max.compaction.lag.ms"]
    if low > high:
        raise ConfigError(
            f"conflict topic config setting min.compaction.lag.ms ({low}) > max.compaction.lag.ms ({high})"
        )
    if values["remote.storage.enable"]:
        raise ConfigError(
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage."
        )
