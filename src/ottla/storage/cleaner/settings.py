"""The configuration keys of the log cleaner."""

from dataclasses import dataclass

from ottla.config import BrokerConfig
from ottla.storage.cleaner.offset_map import ENTRY_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanerSettings:
    is_enabled: bool = True
    backoff_ms: int = 15_000
    map_entries_max: int = 134_217_728 // ENTRY_BYTES

    @classmethod
    def from_config(cls, config: BrokerConfig) -> "CleanerSettings":
        return cls(
            is_enabled=config.bool("log.cleaner.enable"),
            backoff_ms=config.int("log.cleaner.backoff.ms"),
            map_entries_max=max(1, config.int("log.cleaner.dedupe.buffer.size") // ENTRY_BYTES),
        )
