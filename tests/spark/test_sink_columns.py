"""Which DataFrames the sink takes, and Spark's own words for those it does not. No Spark runs here."""

import re

import pytest
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from ottla.errors import ConfigError
from ottla.spark.sink.columns import HEADERS_TYPE, UnsupportedSchemaError, sink_columns
from ottla.spark.sink.options import SinkOptions
from ottla.spark.sink.writers import SaveModeError, batch_writer, stream_writer

TEXT, BYTES = StringType(), BinaryType()
OPTIONS = {"kafka.bootstrap.servers": "127.0.0.1:9092", "topic": "clicks"}


def schema(**columns: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in columns.items()])


def test_all_columns_are_taken_and_others_left_out() -> None:
    given = schema(
        offset=LongType(), partition=IntegerType(), headers=HEADERS_TYPE, value=BYTES, key=TEXT, topic=TEXT, Value=BYTES
    )

    assert sink_columns(given, None) == ("topic", "key", "value", "headers", "partition")


def test_the_option_topic_comes_before_the_column() -> None:
    assert sink_columns(schema(topic=LongType(), value=TEXT), "clicks") == ("value",)


def test_headers_fit_whatever_may_be_null_in_them() -> None:
    header = StructType([StructField("Key", TEXT, nullable=False), StructField("value", BYTES, nullable=False)])

    assert sink_columns(schema(value=TEXT, headers=ArrayType(header, containsNull=False)), "t") == ("value", "headers")


@pytest.mark.parametrize(
    ("columns", "topic", "message"),
    [
        (
            {"value": TEXT},
            None,
            "topic option required when no 'topic' attribute is present. Use the topic option for setting a topic.",
        ),
        ({"key": TEXT}, "t", "Required attribute 'value' not found"),
        ({"key": LongType()}, "t", "key attribute unsupported type bigint. key must be a(n) string or binary"),
        (
            {"value": TEXT, "topic": BYTES},
            None,
            "topic attribute unsupported type binary. topic must be a(n) string",
        ),
        (
            {"value": LongType()},
            "t",
            "value attribute unsupported type bigint. value must be a(n) string or binary",
        ),
        (
            {"value": TEXT, "key": IntegerType()},
            "t",
            "key attribute unsupported type int. key must be a(n) string or binary",
        ),
        (
            {"value": TEXT, "partition": LongType()},
            "t",
            "partition attribute unsupported type bigint. partition must be a(n) int",
        ),
        (
            {"value": TEXT, "headers": MapType(TEXT, BYTES)},
            "t",
            "headers attribute unsupported type map<string,binary>. "
            "headers must be a(n) array<struct<key:string,value:binary>>",
        ),
    ],
)
def test_a_schema_that_does_not_fit_is_refused_in_sparks_words(
    columns: dict[str, DataType], topic: str | None, message: str
) -> None:
    with pytest.raises(UnsupportedSchemaError, match=f"^{re.escape(message)}$"):
        sink_columns(schema(**columns), topic)


def test_kafka_options_are_the_producers_configuration() -> None:
    options = SinkOptions.parse({"Kafka.Linger.Ms": "5", "kafka.bootstrap.servers": " a:1,b:2 ", "topic": " clicks "})

    assert options == SinkOptions("clicks", "a:1,b:2", {"linger.ms": "5"})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Option 'kafka.bootstrap.servers' must be specified for configuring Kafka producer"),
        (
            OPTIONS | {"kafka.key.serializer": "X"},
            "Kafka option 'key.serializer' is not supported as keys are serialized with ByteArraySerializer.",
        ),
        (
            OPTIONS | {"kafka.value.serializer": "X"},
            "Kafka option 'value.serializer' is not supported as value are serialized with ByteArraySerializer.",
        ),
        (
            OPTIONS | {"kafka.linger.ms": "soon"},
            "Invalid value soon for configuration linger.ms: Not a number of type LONG",
        ),
    ],
)
def test_options_that_cannot_work_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
        SinkOptions.parse(options)


def test_a_key_that_no_producer_knows_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    assert SinkOptions.parse(OPTIONS | {"kafka.fetch.min.bytes": "1"}).producer == {}
    assert "['fetch.min.bytes'] were supplied but are not known" in caplog.text.replace("'[", "[").replace("]'", "]")


def test_a_topic_is_not_overwritten_but_complete_mode_appends() -> None:
    with pytest.raises(SaveModeError, match="Save mode Overwrite not allowed for Kafka: a topic is append only"):
        batch_writer(schema(value=TEXT), OPTIONS, overwrite=True)
    assert stream_writer(schema(value=TEXT), OPTIONS, overwrite=True)
