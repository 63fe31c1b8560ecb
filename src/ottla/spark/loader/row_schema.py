"""The columns of a table: those it begins with, and those it has after the tasks of a load have seen the records."""

from collections.abc import Sequence

import pyarrow as pa

from ottla.spark.loader.ddl import parse_schema
from ottla.spark.loader.json_columns import json_schema, value_fields
from ottla.spark.loader.json_types import merge_fields
from ottla.spark.loader.partitioning import with_time_columns
from ottla.spark.loader.settings import RAW, LoadSettings
from ottla.spark.schema import arrow_schema


def initial_schema(settings: LoadSettings, found: pa.Schema | None = None) -> pa.Schema:
    """What a table of these settings has before the next record, `found` being what it has already."""
    layout = settings.layout
    if layout.columns == RAW:
        rows = arrow_schema(include_headers=layout.headers)
    else:
        given = list(parse_schema(settings.given_schema)) if settings.given_schema else []
        rows = json_schema(merge_fields([] if found is None else value_fields(found), given))
    return with_time_columns(rows, layout.partition_by)


def merged_schema(settings: LoadSettings, before: pa.Schema, schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The columns that all tasks need. Where two contradict each other, the table is right, then the earlier task."""
    if settings.layout.columns == RAW:
        return before
    fields = value_fields(before)
    for schema in schemas:
        fields = merge_fields(fields, value_fields(schema))
    return with_time_columns(json_schema(fields), settings.layout.partition_by)


def widened_columns(before: pa.Schema | None, after: pa.Schema) -> list[str]:
    """Columns that the table has and that are of another type now."""
    known = {field.name: field.type for field in after}
    return [] if before is None else [field.name for field in before if known[field.name] != field.type]
