"""The columns that the sink takes, and Spark's texts for a schema that does not fit.

    topic      string                                    required, unless the option `topic` names one for all rows
    key        string or binary                          null without the column
    value      string or binary                          required; a null is a tombstone
    headers    array<struct<key:string,value:binary>>    none without the column
    partition  int                                       by key, where it is null or the column is not there

Other columns are left out, as Spark's Kafka sink does it. Names are matched with their case.
"""

from pyspark.sql.types import ArrayType, BinaryType, DataType, IntegerType, StringType, StructField, StructType

from ottla.errors import OperatorError

HEADERS_TYPE = ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())]))
_TEXT_OR_BYTES = (StringType(), BinaryType())
_TYPES: dict[str, tuple[DataType, ...]] = {
    "topic": (StringType(),),
    "key": _TEXT_OR_BYTES,
    "value": _TEXT_OR_BYTES,
    "headers": (HEADERS_TYPE,),
    "partition": (IntegerType(),),
}
_MISSING = {
    "topic": "topic option required when no 'topic' attribute is present. Use the topic option for setting a topic.",
    "value": "Required attribute 'value' not found",
}


class UnsupportedSchemaError(OperatorError, ValueError):
    """The DataFrame has not the columns, or not the types, that can be written to a topic."""


def sink_columns(schema: StructType, topic: str | None) -> tuple[str, ...]:
    """The columns of the DataFrame that are written. The option `topic` comes before the column."""
    present = {field.name: field.dataType for field in schema.fields}
    looked_at = [name for name in _TYPES if name != "topic" or topic is None]
    for name in looked_at:
        if name in present:
            _check_type(name, present[name])
        elif name in _MISSING:
            raise UnsupportedSchemaError(_MISSING[name])
    return tuple(name for name in looked_at if name in present)


def _check_type(name: str, found: DataType) -> None:
    desired = _TYPES[name]
    if not any(_shape(found) == _shape(possible) for possible in desired):
        raise UnsupportedSchemaError(
            f"{name} attribute unsupported type {found.simpleString()}. {name} must be a(n) "
            + " or ".join(possible.simpleString() for possible in desired)
        )


def _shape(data_type: DataType) -> str:
    """A type without its nullability, and without the case of names in it: what Spark compares."""
    return data_type.simpleString().lower()
