"""The partitioner against kafka-python's and aiokafka's, and for whole columns."""

import struct
from array import array

import pytest
from aiokafka.partitioner import murmur2 as aiokafka_murmur2
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner.default import murmur2 as kafka_murmur2

from ottla.records.columns import ArrowBytes, spans_of_columns
from ottla.records.kernels.spans import KEY, KEY_LENGTH, SPAN_COLUMNS
from ottla.records.partitioning import NO_PARTITION, group_by_partition, murmur2, partition_for_key, partition_rows


@given(st.binary(max_size=70))
def test_murmur2_is_that_of_other_clients(key: bytes) -> None:
    assert murmur2(key) == kafka_murmur2(key) & 0xFFFFFFFF == aiokafka_murmur2(key) & 0xFFFFFFFF


# From Java: Utils.murmur2 of these keys, as unsigned numbers.
@pytest.mark.parametrize(
    ("key", "hashed"),
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536), (b"abc", 479470107)],
)
def test_murmur2_is_that_of_java(key: bytes, hashed: int) -> None:
    assert murmur2(key) == hashed & 0xFFFFFFFF


@given(st.binary(max_size=20), st.integers(1, 1000))
def test_partition_is_the_positive_hash_modulo_the_count(key: bytes, count: int) -> None:
    assert partition_for_key(key, count) == (murmur2(key) & 0x7FFFFFFF) % count


def test_partition_of_a_topic_without_partitions_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one partition"):
        partition_for_key(b"key", 0)


@given(st.lists(st.none() | st.binary(max_size=9), max_size=50), st.integers(1, 7))
def test_column_of_keys_is_partitioned_and_grouped_as_single_keys_are(keys: list[bytes | None], count: int) -> None:
    sizes = [len(key or b"") for key in keys]
    offsets = struct.pack(f"<{len(keys) + 1}i", *(sum(sizes[:index]) for index in range(len(keys) + 1)))
    bits = sum((key is not None) << index for index, key in enumerate(keys))
    column = ArrowBytes(offsets, b"".join(key or b"" for key in keys), bits.to_bytes(len(keys) // 8 + 1, "little"))
    spans = spans_of_columns(len(keys), column, column, 0)
    partitions = partition_rows(column.data, spans, count)
    assert list(partitions) == [NO_PARTITION if key is None else partition_for_key(key, count) for key in keys]

    sticky = array("i", [0 if partition == NO_PARTITION else partition for partition in partitions])
    grouped = group_by_partition(spans, sticky, count)
    for partition in range(count):
        rows = grouped.rows_of(partition).tolist()
        found = [
            None if length < 0 else column.data[start : start + length]
            for start, length in zip(rows[KEY::SPAN_COLUMNS], rows[KEY_LENGTH::SPAN_COLUMNS], strict=True)
        ]
        assert found == [key for key, chosen in zip(keys, sticky, strict=True) if chosen == partition]
