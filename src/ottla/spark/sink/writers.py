"""What Spark calls to write: made on the driver, pickled to the tasks, told on the driver how they ended.

Commit and abort have nothing to do: the records of a task are in the log when `write` returns, and what a failed
attempt has written stays there. That is what at least once means, and what Spark's own Kafka sink does.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from ottla.errors import OperatorError
from ottla.spark.sink.columns import sink_columns
from ottla.spark.sink.options import SinkOptions
from ottla.spark.sink.task_writer import write_batches


class RowsWritten(WriterCommitMessage):
    """How many records one task has written."""

    def __init__(self, rows: int) -> None:
        self.rows = rows


class SaveModeError(OperatorError, ValueError):
    """A mode that would have to remove what is in the topic."""


class OttlaBatchWriter(DataSourceArrowWriter):
    """`df.write.format("ottla").mode("append").save()`"""

    def __init__(self, schema: StructType, options: SinkOptions) -> None:
        self._options = options
        self._columns = sink_columns(schema, options.topic)

    def write(self, iterator: Iterator[Any]) -> RowsWritten:
        return RowsWritten(write_batches(self._options, self._columns, iterator))

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Everything is acknowledged already."""

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """What was written stays."""


class OttlaStreamWriter(DataSourceStreamArrowWriter):
    """`df.writeStream.format("ottla").start()`: the same for each micro-batch."""

    def __init__(self, schema: StructType, options: SinkOptions) -> None:
        self._options = options
        self._columns = sink_columns(schema, options.topic)

    def write(self, iterator: Iterator[Any]) -> RowsWritten:
        return RowsWritten(write_batches(self._options, self._columns, iterator))

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 (Spark's name)
        """Everything is acknowledged already."""

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """What was written stays."""


def batch_writer(schema: StructType, options: Mapping[str, str], overwrite: bool) -> OttlaBatchWriter:
    """The writer of a batch query. A topic cannot be overwritten, so that mode is refused."""
    if overwrite:
        _refuse_overwrite()
    return OttlaBatchWriter(schema, SinkOptions.parse(options))


def stream_writer(schema: StructType, options: Mapping[str, str], overwrite: bool) -> OttlaStreamWriter:
    """The writer of a streaming query. In complete mode (`overwrite`) each batch is appended, as Spark's sink does."""
    return OttlaStreamWriter(schema, SinkOptions.parse(options))


def _refuse_overwrite() -> NoReturn:
    raise SaveModeError(
        "Save mode Overwrite not allowed for Kafka: a topic is append only. "
        'Write with .mode("append"), the one mode of this format'
    )
