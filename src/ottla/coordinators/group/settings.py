"""The configuration keys of the group coordinator, read once."""

from dataclasses import dataclass

from ottla.config import BrokerConfig
from ottla.records.attributes import Codec

OFFSETS_TOPIC = "__consumer_offsets"
MS_PER_MINUTE = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSettings:
    session_timeout_min_ms: int = 6_000
    session_timeout_max_ms: int = 1_800_000
    members_max: int = 2**31 - 1
    initial_rebalance_delay_ms: int = 3_000
    offset_metadata_length_max: int = 4_096
    offsets_retention_ms: int = 10_080 * MS_PER_MINUTE
    retention_check_interval_ms: int = 600_000
    commit_timeout_ms: int = 5_000
    load_buffer_bytes: int = 5 * 1024 * 1024
    compression: Codec = Codec.NONE

    @classmethod
    def from_config(cls, config: BrokerConfig) -> "GroupSettings":
        return cls(
            session_timeout_min_ms=config.int("group.min.session.timeout.ms"),
            session_timeout_max_ms=config.int("group.max.session.timeout.ms"),
            members_max=config.int("group.max.size"),
            initial_rebalance_delay_ms=config.int("group.initial.rebalance.delay.ms"),
            offset_metadata_length_max=config.int("offset.metadata.max.bytes"),
            offsets_retention_ms=config.int("offsets.retention.minutes") * MS_PER_MINUTE,
            retention_check_interval_ms=config.int("offsets.retention.check.interval.ms"),
            commit_timeout_ms=config.int("offsets.commit.timeout.ms"),
            load_buffer_bytes=config.int("offsets.load.buffer.size"),
            compression=Codec(config.int("offsets.topic.compression.codec")),
        )
