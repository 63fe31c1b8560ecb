"""JSON objects to rows: their fields are the columns, beside the record's own.

    kafka_topic, kafka_partition, kafka_offset, kafka_timestamp, kafka_key, then the fields

Arrow's parser takes a whole batch at once, given the columns that are known. Where it stumbles, or finds an unknown
field, every record of the batch is looked at alone: it gives a new column (`SchemaGrown`), is a bad record, or
turns out well.

Arrow reads a text of objects, not values one by one. That it gives the rows of these very values is made sure of: each
is one line that begins with { and ends with }, and there are as many rows as values.

A null value gives a row in which all fields are null.
"""

import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from ottla.spark.loader.json_types import Misfit, grow_fields, shape
from ottla.spark.loader.raw_columns import BadRecord, Decoded
from ottla.spark.schema import TIMESTAMP

RECORD_FIELDS = [
    pa.field("kafka_topic", pa.string()),
    pa.field("kafka_partition", pa.int32()),
    pa.field("kafka_offset", pa.int64()),
    pa.field("kafka_timestamp", TIMESTAMP),
    pa.field("kafka_key", pa.binary()),
]
_RESERVED = frozenset(field.name for field in RECORD_FIELDS) | {"record_date", "record_hour"}
_BLOCK_BYTES_MIN = 1 << 20
REASON_CHARACTERS_MAX = 500


class SchemaGrown(Exception):
    """A record needs other columns than there are: `fields` are those that take it."""

    def __init__(self, fields: list[pa.Field]) -> None:
        super().__init__("the schema has grown")
        self.fields = fields


def value_fields(schema: pa.Schema) -> list[pa.Field]:
    """The fields of a table's schema that come from values."""
    return [field for field in schema if field.name not in _RESERVED]


def json_schema(fields: list[pa.Field]) -> pa.Schema:
    return pa.schema([*RECORD_FIELDS, *fields])


class JsonDecoder:
    """`pinned` columns may not be widened. A `fixed` decoder has all the columns that there will be: what does not fit
    is bad."""

    def __init__(self, fields: list[pa.Field], *, pinned: frozenset[str] = frozenset(), fixed: bool = False) -> None:
        self.fields = fields
        self.schema = json_schema(fields)
        self._wanted = pa.schema(fields)
        self._pinned = pinned
        self._fixed = fixed

    def decode(self, batch: pa.RecordBatch) -> Decoded:
        """SchemaGrown where a record needs other columns."""
        present = pc.is_valid(batch.column("value"))
        values = batch.column("value").filter(present)
        parsed = self._parse_at_once(values)
        bad: list[BadRecord] = []
        if parsed is None:
            batch, parsed, bad = self._parse_singly(batch)
            present = pc.is_valid(batch.column("value"))
        fields = parsed if parsed.num_rows == batch.num_rows else _spread(parsed, present)
        table = pa.table([*_record_columns(batch), *fields.columns], schema=self.schema)
        return Decoded(table, table.column("kafka_timestamp"), bad)

    def _parse_at_once(self, values: pa.Array) -> pa.Table | None:
        """The rows, or None when these values have to be looked at."""
        if not len(values):
            return self._wanted.empty_table()
        if not (pc.all(pc.starts_with(values, "{")).as_py() and pc.all(pc.ends_with(values, "}")).as_py()):
            return None
        if pc.any(pc.match_substring(values, "\n")).as_py():
            return None
        return self._parse_lines(values.to_pylist())

    def _parse_lines(self, lines: list[bytes]) -> pa.Table | None:
        text = b"\n".join(lines)
        try:
            found = _read(text, self._wanted, "infer")
            if found.schema != self._wanted:
                if _needs_more(pa.struct(list(found.schema)), pa.struct(list(self._wanted))):
                    return None
                found = _read(text, self._wanted, "ignore")
        except pa.ArrowInvalid:
            return None
        return found if found.num_rows == len(lines) else None

    def _parse_singly(self, batch: pa.RecordBatch) -> tuple[pa.RecordBatch, pa.Table, list[BadRecord]]:
        """Good records, their rows, and the bad ones."""
        fields, lines, good, bad = self.fields, [], [], []
        known: set[Any] = set()
        for number, value in enumerate(batch.column("value").to_pylist()):
            try:
                if value is not None:
                    record = parse_object(value)
                    form = shape(record)
                    if form not in known:
                        fields = self._grow(fields, record)
                        known.add(form)
                    lines.append(json.dumps(record).encode())
                good.append(number)
            except Misfit as misfit:
                bad.append(_bad(batch, number, str(misfit)))
        if fields is not self.fields and not self._fixed:
            raise SchemaGrown(fields)
        kept = batch.take(pa.array(good, pa.int64()))
        parsed = self._parse_lines(lines) if lines else self._wanted.empty_table()
        if parsed is None:
            return self._parse_one_by_one(kept, lines, bad)
        return kept, parsed, bad

    def _grow(self, fields: list[pa.Field], record: dict[str, Any]) -> list[pa.Field]:
        reserved = _RESERVED & record.keys()
        if reserved:
            raise Misfit(f"{min(reserved)} is a name that the table needs for itself")
        if not self._fixed:
            return grow_fields(fields, record, pinned=self._pinned)
        if grow_fields(self.fields, record) is not self.fields:
            raise Misfit("the record does not fit the columns that others of the same load gave")
        return fields

    def _parse_one_by_one(
        self, batch: pa.RecordBatch, lines: list[bytes], bad: list[BadRecord]
    ) -> tuple[pa.RecordBatch, pa.Table, list[BadRecord]]:
        """What Python reads and Arrow does not: half a surrogate pair, a string that is no timestamp."""
        good, tables, left = [], [self._wanted.empty_table()], iter(lines)
        for number, value in enumerate(batch.column("value")):
            line = next(left) if value.is_valid else None
            try:
                if line is not None:
                    tables.append(_read(line, self._wanted, "ignore"))
                good.append(number)
            except pa.ArrowInvalid as error:
                bad.append(_bad(batch, number, str(error)))
        return batch.take(pa.array(good, pa.int64())), pa.concat_tables(tables), bad


def parse_object(value: bytes) -> dict[str, Any]:
    try:
        record = json.loads(value, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Misfit(f"no JSON: {error}") from error
    if not isinstance(record, dict):
        raise Misfit(f"a JSON {type(record).__name__}, not an object")
    return record


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _read(text: bytes, schema: pa.Schema, unexpected: str) -> pa.Table:
    return pj.read_json(
        io.BytesIO(text),
        read_options=pj.ReadOptions(use_threads=False, block_size=max(_BLOCK_BYTES_MIN, len(text) + 1)),
        parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior=unexpected),
    )


def _needs_more(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether `found` has a field with values that `wanted` has not."""
    if pa.types.is_null(found):
        return False
    if pa.types.is_struct(found):
        known = {field.name: field.type for field in wanted.fields} if pa.types.is_struct(wanted) else {}
        return any(_needs_more(field.type, known.get(field.name, pa.null())) for field in found.fields)
    if pa.types.is_list(found):
        inner = wanted.value_type if pa.types.is_list(wanted) else pa.null()
        return _needs_more(found.value_type, inner)
    return bool(pa.types.is_null(wanted))


def _spread(parsed: pa.Table, present: pa.Array) -> pa.Table:
    """Rows of nulls where there was no value."""
    counted = pc.subtract(pc.cumulative_sum(present.cast(pa.int64())), 1)
    return parsed.take(pc.if_else(present, counted, pa.scalar(None, pa.int64())))


def _record_columns(batch: pa.RecordBatch) -> list[pa.Array]:
    return [batch.column(name) for name in ("topic", "partition", "offset", "timestamp", "key")]


def _bad(batch: pa.RecordBatch, number: int, reason: str) -> BadRecord:
    row = {name: batch.column(name)[number].as_py() for name in ("topic", "partition", "offset", "key", "value")}
    return BadRecord(**row, reason=reason[:REASON_CHARACTERS_MAX])
