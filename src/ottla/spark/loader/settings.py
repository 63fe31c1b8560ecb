"""What a load is told: all of it plain values, so that it can be sent to tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FILE_BYTES_DEFAULT = 128 * 1024 * 1024
BUCKETS_DEFAULT = 16
APPEND, UPSERT = "append", "upsert"
RAW, JSON = "raw", "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLayout:
    """What a table keeps for life. It is stored in the table and every load is checked against it."""

    mode: str = APPEND
    columns: str = RAW
    headers: bool = False
    partition_by: tuple[str, ...] = ()
    buckets: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "columns": self.columns,
            "headers": self.headers,
            "partition_by": list(self.partition_by),
            "buckets": self.buckets,
        }

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> "TableLayout":
        return cls(
            mode=found["mode"],
            columns=found["columns"],
            headers=found["headers"],
            partition_by=tuple(found["partition_by"]),
            buckets=found["buckets"],
        )

    @property
    def key_column(self) -> str:
        return "key" if self.columns == RAW else "kafka_key"

    @property
    def position_columns(self) -> tuple[str, str]:
        """Partition and offset of a row's record."""
        return ("partition", "offset") if self.columns == RAW else ("kafka_partition", "kafka_offset")


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadSettings:
    """`client` and `producer` are Kafka's configuration. `given_schema` is a DDL string, for JSON."""

    topics: tuple[str, ...]
    client: Mapping[str, str]
    layout: TableLayout = field(default_factory=TableLayout)
    given_schema: str | None = None
    file_bytes: int = FILE_BYTES_DEFAULT
    compression: str = "snappy"
    records_max: int | None = None
    allow_gaps: bool = False
    dead_letter_topic: str | None = None
    producer: Mapping[str, str] = field(default_factory=dict)
