"""The Python Data Source `ottla`: what Spark makes of `format("ottla")`, for reading and writing, batch and stream.

Spark finds it through the package `pyspark_ottla`; nothing has to be registered. It is made in a Python process of the
driver, again for every plan, from the options alone. Reading is in `source`, writing in `sink`.
"""

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from ottla.spark.options import INCLUDE_HEADERS, JobOptions
from ottla.spark.schema import simple_schema, spark_schema

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceArrowWriter,
        DataSourceReader,
        DataSourceStreamArrowWriter,
        DataSourceStreamReader,
    )
    from pyspark.sql.types import StructType


class OttlaDataSource(DataSource):
    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._options = JobOptions(options)

    @classmethod
    def name(cls) -> str:
        return "ottla"

    def schema(self) -> str:
        return spark_schema(include_headers=self._include_headers)

    @property
    def _include_headers(self) -> bool:
        return self._options.boolean(INCLUDE_HEADERS, False)

    def reader(self, schema: "StructType") -> "DataSourceReader":
        from ottla.spark.source.batch_reader import make_batch_reader

        self._refuse_other(schema)
        return make_batch_reader(self._options)

    def streamReader(self, schema: "StructType") -> "DataSourceStreamReader":  # noqa: N802 (Spark's name)
        from ottla.spark.source.stream_reader import OttlaStreamReader

        self._refuse_other(schema)
        return OttlaStreamReader(self._options)

    def _refuse_other(self, schema: "StructType") -> None:
        """A schema that the user gave comes here in place of ours."""
        if schema.simpleString() != simple_schema(include_headers=self._include_headers):
            raise ValueError("Kafka source has a fixed schema and cannot be set with a custom one")

    def writer(self, schema: "StructType", overwrite: bool) -> "DataSourceArrowWriter":
        from ottla.spark.sink.writers import batch_writer

        return batch_writer(schema, self._options, overwrite)

    def streamWriter(self, schema: "StructType", overwrite: bool) -> "DataSourceStreamArrowWriter":  # noqa: N802
        from ottla.spark.sink.writers import stream_writer

        return stream_writer(schema, self._options, overwrite)
