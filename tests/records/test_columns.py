"""Columns in Arrow's layout: equal to the records one by one, and back into a batch."""

import struct
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.records.attributes import Codec, TimestampType
from ottla.records.batch import Buffer, assemble_batch, decode_header, empty_header, iterate_batches
from ottla.records.columns import ArrowBytes, RecordColumns, decode_columns, encode_columns, spans_of_columns
from ottla.records.record import Record, decode_batch, encode_batch, open_section

nullable_bytes = st.none() | st.binary(max_size=40)
rows = st.lists(
    st.tuples(
        st.integers(-1, 2**50),
        nullable_bytes,
        nullable_bytes,
        st.lists(st.tuples(st.text(max_size=3), nullable_bytes), max_size=2).map(tuple),
    ),
    max_size=10,
)


def columns_of(batches: Buffer, **options: object) -> RecordColumns:
    sections = [(header, open_section(batches, position, header)) for position, header in iterate_batches(batches)]
    return decode_columns(sections, **options)  # type: ignore[arg-type]


def records_of(columns: RecordColumns) -> list[Record]:
    records = []
    for row in range(columns.rows):
        span = range(columns.header_offsets[row], columns.header_offsets[row + 1])
        headers = tuple(((columns.header_keys[at] or b"").decode(), columns.header_values[at]) for at in span)
        key, value = columns.keys[row], columns.values[row]
        records.append(Record(columns.offsets[row], columns.timestamps[row], key, value, headers))
    return records


@given(st.lists(st.tuples(rows, st.sampled_from(Codec)), max_size=4), st.integers(0, 30), st.integers(0, 30))
@settings(max_examples=150)
def test_columns_equal_the_records_within_the_offsets(
    drawn: list[tuple[list[tuple[int, bytes | None, bytes | None, tuple[()]]], Codec]], offset_min: int, count: int
) -> None:
    records: list[Record] = []
    batches = b""
    for contents, codec in drawn:
        batch = [Record(len(records) + index, *row) for index, row in enumerate(contents)]
        batches += encode_batch(batch, compression=codec, base_offset=len(records))
        records += batch
    offset_end = offset_min + count
    columns = columns_of(batches, offset_min=offset_min, offset_end=offset_end)
    expected = [record for record in records if offset_min <= record.offset < offset_end]
    assert records_of(columns) == expected
    assert columns.keys.null_count == sum(record.key is None for record in expected)
    assert columns.values.null_count == sum(record.value is None for record in expected)
    assert columns.header_values.null_count == sum(v is None for r in expected for _, v in r.headers)
    assert records_of(columns_of(batches)) == records


def test_headers_are_left_out_where_they_are_not_wanted() -> None:
    batch = encode_batch([Record(0, 1, b"k", b"v", (("h", b"x"),)), Record(1, 1, b"k", b"v")])
    columns = columns_of(batch, with_headers=False)
    assert list(columns.header_offsets) == [0, 0, 0]
    assert len(columns.header_keys.offsets) == 1
    assert columns.values[1] == b"v"


def test_timestamp_type_is_that_of_the_batch() -> None:
    created = encode_batch([Record(0, 1, None, b"")])
    appended = encode_batch([Record(1, 5, None, b""), Record(2, 9, None, b"")], timestamp_type=TimestampType(1))
    columns = columns_of(created + appended)
    assert bytes(columns.timestamp_types) == b"\x00\x01\x01"
    assert list(columns.timestamps) == [1, 9, 9]


def arrow_column(values: list[bytes | None], width: int, first: int) -> ArrowBytes:
    """As Arrow has it, with `first` rows of something else before."""
    offsets, data, bits = [0], b"", 0
    for index, value in enumerate([b"before"] * first + values):
        data += value or b""
        offsets.append(len(data))
        bits |= (value is not None) << index
    packed = struct.pack(f"<{len(offsets)}{'iq'[width == 8]}", *offsets)
    return ArrowBytes(packed, data, bits.to_bytes(len(offsets) // 8 + 1, "little"), first, width)


@given(
    st.lists(st.tuples(nullable_bytes, nullable_bytes, st.integers(0, 2**50)), min_size=1, max_size=20),
    st.sampled_from([4, 8]),
    st.integers(0, 10),
)
def test_arrow_columns_become_a_batch(drawn: list[tuple[bytes, bytes, int]], width: int, first: int) -> None:
    keys = arrow_column([row[0] for row in drawn], width, first)
    values = arrow_column([row[1] for row in drawn], width, first)
    timestamps = array("q", [row[2] for row in drawn])
    spans = spans_of_columns(len(drawn), keys, values, timestamps)
    section = encode_columns(spans, keys.data, values.data, timestamps[0])
    header = empty_header(records_count=len(drawn), last_offset_delta=len(drawn) - 1)
    records = decode_batch(assemble_batch(header._replace(base_timestamp=timestamps[0]), section))
    assert records == [Record(index, time, key, value) for index, (key, value, time) in enumerate(drawn)]


def test_values_alone_with_one_timestamp_become_a_batch() -> None:
    values = ArrowBytes(struct.pack("<3i", 0, 1, 3), b"abb")
    section = encode_columns(spans_of_columns(2, None, values, 77), b"", values.data, 77)
    header = empty_header(records_count=2, last_offset_delta=1)._replace(base_timestamp=77)
    assert decode_batch(assemble_batch(header, section)) == [Record(0, 77, None, b"a"), Record(1, 77, None, b"bb")]


@pytest.mark.parametrize(
    "column",
    [
        ArrowBytes(struct.pack("<2i", 0, 1), b"abb"),
        ArrowBytes(struct.pack("<3i", 0, 1, 4), b"abb"),
        ArrowBytes(struct.pack("<3i", 0, 2, 1), b"abb"),
        ArrowBytes(struct.pack("<3i", -1, 2, 2), b"abb"),
        ArrowBytes(struct.pack("<3i", 0, 1, 3), b"abb", first=1),
    ],
)
def test_column_that_does_not_fit_its_buffers_is_refused(column: ArrowBytes) -> None:
    with pytest.raises(ValueError, match="take_fields"):
        spans_of_columns(2, None, column, 0)


def test_encoded_batch_is_the_same_from_columns_and_from_records() -> None:
    records = [Record(index, 5, b"k%d" % index, b"v") for index in range(3)]
    columns = columns_of(encode_batch(records))
    keys = ArrowBytes(columns.keys.offsets.tobytes(), columns.keys.data, columns.keys.validity)
    values = ArrowBytes(columns.values.offsets.tobytes(), columns.values.data, columns.values.validity)
    section = encode_columns(spans_of_columns(3, keys, values, columns.timestamps), keys.data, values.data, 5)
    assert assemble_batch(decode_header(encode_batch(records)), section) == encode_batch(records)
