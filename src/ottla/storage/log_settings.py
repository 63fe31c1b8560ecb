"""What the log manager takes from the broker's configuration. Some of it may change while the broker runs."""

import resource
from dataclasses import dataclass

from ottla.config.broker_config import BrokerConfig
from ottla.disk.handle_cache import HANDLES_MAX, affordable_handles

PRODUCER_CHECK_INTERVAL_MS = 600_000
PRODUCERS_MAX = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """`producers_max` bounds the producer ids that the broker remembers, over all partitions: 0.3 KB each, 0.9 for one
    that has sent five batches.
    """

    log_dirs: tuple[str, ...]
    recovery_threads_per_dir: int = 1
    retention_check_interval_ms: int = 300_000
    recovery_checkpoint_interval_ms: int = 60_000
    log_start_checkpoint_interval_ms: int = 60_000
    producer_expiration_ms: int = 86_400_000
    producer_check_interval_ms: int = PRODUCER_CHECK_INTERVAL_MS
    producers_max: int = PRODUCERS_MAX
    segment_handles_max: int = HANDLES_MAX
    validate_compressed: bool = False


def log_settings(config: BrokerConfig) -> LogSettings:
    return LogSettings(
        log_dirs=config.log_dirs,
        recovery_threads_per_dir=config.int("num.recovery.threads.per.data.dir"),
        retention_check_interval_ms=config.int("log.retention.check.interval.ms"),
        recovery_checkpoint_interval_ms=config.int("log.flush.offset.checkpoint.interval.ms"),
        log_start_checkpoint_interval_ms=config.int("log.flush.start.offset.checkpoint.interval.ms"),
        producer_expiration_ms=config.int("producer.id.expiration.ms"),
        segment_handles_max=affordable_handles(
            config.int("ottla.segment.handles.max"), resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        ),
        validate_compressed=config.bool("ottla.validate.compressed"),
    )
