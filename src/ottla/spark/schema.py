"""The columns of the source, those of Spark's own Kafka source, as Spark and as Arrow write them.

    key, value       binary
    topic            string
    partition        int
    offset           long
    timestamp        timestamp
    timestampType    int: 0 CreateTime, 1 LogAppendTime
    headers          array<struct<key: string, value: binary>>, only with includeHeaders

Spark compares the first batch with its own idea of the Arrow schema, nullability and time unit included, so
`arrow_schema` is exactly that: microseconds in UTC, every field nullable, the list's child named `element`.
"""

import pyarrow as pa

COLUMNS = {
    "key": "binary",
    "value": "binary",
    "topic": "string",
    "partition": "int",
    "offset": "bigint",
    "timestamp": "timestamp",
    "timestampType": "int",
}
HEADERS = {"headers": "array<struct<key:string,value:binary>>"}
TIMESTAMP = pa.timestamp("us", tz="UTC")
HEADER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.binary())])
HEADERS_LIST = pa.list_(pa.field("element", HEADER))

_FIELDS = [
    pa.field("key", pa.binary()),
    pa.field("value", pa.binary()),
    pa.field("topic", pa.string()),
    pa.field("partition", pa.int32()),
    pa.field("offset", pa.int64()),
    pa.field("timestamp", TIMESTAMP),
    pa.field("timestampType", pa.int32()),
]


def spark_schema(*, include_headers: bool) -> str:
    """As a DDL string, which needs no JVM to be written."""
    return ", ".join(f"{name} {kind}" for name, kind in _columns(include_headers).items())


def simple_schema(*, include_headers: bool) -> str:
    """As `StructType.simpleString` writes it."""
    columns = ",".join(f"{name}:{kind}" for name, kind in _columns(include_headers).items())
    return f"struct<{columns}>"


def _columns(include_headers: bool) -> dict[str, str]:
    return COLUMNS | HEADERS if include_headers else COLUMNS


def arrow_schema(*, include_headers: bool) -> pa.Schema:
    return pa.schema([*_FIELDS, pa.field("headers", HEADERS_LIST)] if include_headers else _FIELDS)
