"""What Spark can take from any Python data source: batches of the source's schema that are there already.

The ceiling for `format("ottla")`: the same columns, rows and batch sizes, and no broker, socket or decoding behind
them.
"""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from ottla.spark.schema import arrow_schema, spark_schema

TASKS = 2
BATCH_ROWS = 36_000  # about what a fetch of 4 MB holds


class CeilingSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return "ceiling"

    def schema(self) -> str:
        return spark_schema(include_headers=False)

    def reader(self, schema: StructType) -> "CeilingReader":
        return CeilingReader(int(self.options["rows"]), int(self.options["valueBytes"]))


class CeilingReader(DataSourceReader):
    def __init__(self, rows: int, value_bytes: int) -> None:
        self._rows = rows
        self._value_bytes = value_bytes

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(number) for number in range(TASKS)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        batch = prebuilt_batch(BATCH_ROWS, self._value_bytes)
        left = self._rows // TASKS
        while left > 0:
            yield batch if left >= BATCH_ROWS else batch.slice(0, left)
            left -= BATCH_ROWS


def prebuilt_batch(rows: int, value_bytes: int) -> pa.RecordBatch:
    columns = [
        pa.nulls(rows, pa.binary()),
        pa.array([b"v" * value_bytes] * rows, pa.binary()),
        pa.array(["bench-1"] * rows, pa.string()),
        pa.array([0] * rows, pa.int32()),
        pa.array(range(rows), pa.int64()),
        pa.array([1_700_000_000_000_000] * rows, pa.timestamp("us", tz="UTC")),
        pa.array([0] * rows, pa.int32()),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(include_headers=False))
