"""Records as they are: the columns of Spark's Kafka source. No record is bad."""

from typing import NamedTuple, Protocol

import pyarrow as pa

from ottla.spark.schema import arrow_schema


class BadRecord(NamedTuple):
    """A record that does not fit, and why."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    reason: str


class Decoded(NamedTuple):
    """Rows of the table, the timestamps of their records, and what is no row."""

    table: pa.Table
    timestamps: pa.ChunkedArray
    bad: list[BadRecord]


class RowDecoder(Protocol):
    schema: pa.Schema

    def decode(self, batch: pa.RecordBatch) -> Decoded: ...


class RawDecoder:
    def __init__(self, *, headers: bool) -> None:
        self.schema = arrow_schema(include_headers=headers)

    def decode(self, batch: pa.RecordBatch) -> Decoded:
        table = pa.Table.from_batches([batch])
        return Decoded(table, table.column("timestamp"), [])
