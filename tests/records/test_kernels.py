"""Every kernel in both its forms, compiled and interpreted, on the same inputs: equal answers or equal refusals.

C integers wrap and Python's do not; nothing but this keeps the two forms one program. Where the kernels are not
compiled (no C compiler) the pairs are the same code and say little: `test_kernels_are_compiled_here` is skipped then.
"""

import contextlib
import os
import subprocess
import sys
import zlib
from array import array
from collections.abc import Callable
from typing import Any

import pytest
from crc32c import crc32c
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.errors.kafka import CorruptMessageError
from ottla.records import kernels
from ottla.records.batch import iterate_batches, rewrite_crc
from ottla.records.kernels.crc_tables import CASTAGNOLI, IEEE, crc_table
from ottla.records.kernels.loading import kernel_names, load_interpreted, load_kernel
from ottla.records.kernels.spans import new_spans
from ottla.records.kernels.validation_codes import SENTENCES, Problem, error_for
from ottla.records.record import Record, encode_batch

FORMS = {
    name: (load_kernel(name), load_interpreted(name, f"tests.records.interpreted.{name}")) for name in kernel_names()
}

int64 = st.integers(-(2**63), 2**63 - 1)
edges = st.sampled_from(
    [-(2**63), -(2**63) + 1, -(2**31), -2, -1, 0, 1, 127, 128, 2**31 - 1, 2**31, 2**63 - 2, 2**63 - 1]
)
numbers = edges | int64
nullable_bytes = st.none() | st.binary(max_size=60)


def outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a call answers and what it leaves in the arrays it was given, or the refusal."""
    copies = [argument[:] if isinstance(argument, array | bytearray) else argument for argument in arguments]
    try:
        answer = function(*copies)
    except (ValueError, TypeError) as error:
        return type(error), str(error)
    return answer, [copy for copy in copies if isinstance(copy, array | bytearray)]


def assert_same(kernel: str, function: str, *arguments: Any) -> Any:
    compiled, interpreted = (outcome(getattr(form, function), *arguments) for form in FORMS[kernel])
    assert compiled == interpreted
    return compiled


@pytest.mark.skipif(not kernels.KERNELS_COMPILED, reason="the kernels are not compiled here")
def test_kernels_are_compiled_here() -> None:
    assert all(not str(form.__file__).endswith(".py") for form, _ in FORMS.values())


def test_environment_selects_the_interpreted_form() -> None:
    program = (
        "from ottla.records import kernels; from ottla.records.kernels import kernel_records, kernel_scan;"
        "print(kernels.KERNELS_COMPILED, kernel_records.__file__[-3:], kernel_scan.__file__[-3:])"
    )
    environment = os.environ | {"OTTLA_KERNELS": "interpreted"}
    printed = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert printed.stdout.decode().split() == ["False", ".py", ".py"]


@st.composite
def sections(draw: st.DrawFn) -> tuple[bytes, int]:
    """A records section and how many records to look for: mostly whole ones, some with damage, some any bytes."""
    if draw(st.integers(0, 4)) == 0:
        return draw(st.binary(max_size=80)), draw(st.integers(-1, 6))
    rows = st.tuples(st.integers(0, 2**62), nullable_bytes, nullable_bytes)
    header = st.lists(st.tuples(st.text(max_size=2), nullable_bytes), max_size=2).map(tuple)
    records = [Record(index, *draw(rows), draw(header)) for index in range(draw(st.integers(0, 4)))]
    section = bytearray(encode_batch(records)[61:])
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2])) if section else 0):
        section[draw(st.integers(0, len(section) - 1))] = draw(st.sampled_from([0, 1, 2, 0x7F, 0x80, 0xFF]))
    return bytes(section), len(records) + draw(st.sampled_from([0, 0, 0, 0, -1, 1]))


@given(sections(), numbers, st.booleans(), numbers, numbers)
@settings(max_examples=400)
def test_validate_records(drawn: tuple[bytes, int], base: int, need_key: bool, low: int, high: int) -> None:
    section, count = drawn
    for limits in ((-(2**63), 2**63 - 1), (low, high)):
        assert_same("kernel_records", "validate_records", section, 0, len(section), count, base, need_key, *limits)


@given(sections(), numbers, numbers, st.booleans(), numbers)
@settings(max_examples=400)
def test_index_records_and_headers(
    drawn: tuple[bytes, int], base_offset: int, base_timestamp: int, is_append_time: bool, append_time: int
) -> None:
    section, count = drawn
    spans = new_spans(count)
    size = len(section)
    arguments = (section, 0, size, count, base_offset, base_timestamp, is_append_time, append_time, spans)
    problem, (filled,) = assert_same("kernel_records", "index_records", *arguments)
    if problem == Problem.NONE:
        total, _ = assert_same("kernel_records", "count_headers", filled)
        _, (_, header_spans) = assert_same("kernel_records", "index_headers", section, filled, new_spans(total, 4))
        assert_same("kernel_rows", "make_rows", section, filled, header_spans, base_offset, ("prefix",), tuple)
        parts = (section, section, section, filled)
        assert_same("kernel_encode", "encode_spans", *parts, base_offset, base_timestamp, False)
        assert_same("kernel_encode", "encode_spans", *parts, 0, base_timestamp, True)


@given(
    st.lists(numbers, max_size=40), st.binary(max_size=20), numbers, numbers, st.booleans(), st.sampled_from([0, 1, 2])
)
def test_spans_that_do_not_belong_to_the_buffer_are_refused_alike(
    values: list[int], buffer: bytes, base_offset: int, base_timestamp: int, is_sequential: bool, magic: int
) -> None:
    spans = array("q", values)
    assert_same("kernel_rows", "make_rows", buffer, spans, array("q"), 0, (), tuple)
    assert_same("kernel_rows", "make_rows", buffer, array("q"), spans, 0, (), tuple)
    arguments = (buffer, buffer, buffer, spans, base_offset, base_timestamp, is_sequential)
    assert_same("kernel_encode", "encode_spans", *arguments)
    assert_same("kernel_legacy", "encode_messages", buffer, spans, magic, 0, 0)
    assert_same("kernel_murmur2", "partition_spans", buffer, spans, 3, array("i", bytes(4 * (len(spans) // 10))))


@given(
    st.lists(st.tuples(nullable_bytes, nullable_bytes, numbers, numbers.filter(lambda n: abs(n) < 2**31)), max_size=5),
    numbers,
    st.booleans(),
)
def test_encode_records(rows: list[tuple[Any, Any, int, int]], base_timestamp: int, with_all: bool) -> None:
    keys, values, timestamps, deltas = ([row[column] for row in rows] for column in range(4))
    if with_all:
        assert_same("kernel_encode", "encode_records", keys, values, timestamps, base_timestamp, keys, deltas)
    assert_same("kernel_encode", "encode_records", None, values, timestamps, base_timestamp, None, None)
    assert_same("kernel_encode", "encode_records", keys, values, None, base_timestamp, None, deltas)


@pytest.mark.parametrize("form", FORMS["kernel_encode"])
def test_encode_records_refuses_lists_of_other_lengths_and_other_types(form: Any) -> None:
    with pytest.raises(ValueError, match="1 entries for 2 values"):
        form.encode_records([b"k"], [b"a", b"b"], None, 0, None, None)
    with pytest.raises(TypeError, match="bytes expected, not str"):
        form.encode_records(None, ["a"], None, 0, None, None)


@given(st.lists(st.tuples(st.binary(max_size=5), nullable_bytes), max_size=200))
def test_encode_headers(headers: list[tuple[bytes, bytes | None]]) -> None:
    assert_same("kernel_encode", "encode_headers", headers)


@given(st.data())
def test_scan_batches(data: st.DataObject) -> None:
    log = bytearray()
    for index in range(data.draw(st.integers(0, 3))):
        log += encode_batch([Record(index, index, b"k", data.draw(st.binary(max_size=40)))])
    for _ in range(data.draw(st.integers(0, 2)) if log else 0):
        log[data.draw(st.integers(0, len(log) - 1))] = data.draw(st.integers(0, 255))
        if data.draw(st.booleans()):
            for position in _readable(log):
                rewrite_crc(log, position)
    log += data.draw(st.binary(max_size=70))
    count, _ = assert_same("kernel_scan", "count_batches", bytes(log), 0)
    arguments = (memoryview(bytes(log)), 0, data.draw(numbers), crc_table(CASTAGNOLI))
    assert_same("kernel_scan", "scan_batches", *arguments, new_spans(count, 12), new_spans(1, 2))


def _readable(log: bytearray) -> list[int]:
    """Positions of the batches that can be framed, up to the first that cannot."""
    found = []
    with contextlib.suppress(CorruptMessageError):
        for position, _ in iterate_batches(log):
            found.append(position)
    return found


@given(st.binary(max_size=200), st.booleans())
def test_table_checksums_are_those_of_the_libraries(data: bytes, is_ieee: bool) -> None:
    """By way of the messages that carry them: a message is good exactly when its CRC is the library's."""
    body = b"\x01\x00" + data + bytes(10)
    framed = bytes(8) + (len(body) + 4).to_bytes(4, "big") + bytes(4) + body
    _, (stamped, _) = assert_same("kernel_scan", "stamp_messages", bytearray(framed), crc_table(IEEE))
    assert int.from_bytes(stamped[12:16], "big") == zlib.crc32(body)
    end, _ = assert_same("kernel_scan", "check_messages", memoryview(bytes(stamped)), 0, len(stamped), crc_table(IEEE))
    assert end == len(stamped)
    batch = encode_batch([Record(0, 0, None, data)])
    assert int.from_bytes(batch[17:21], "big") == crc32c(batch[21:])
    columns, found = new_spans(1, 12), new_spans(1, 2)
    compiled, _ = FORMS["kernel_scan"]
    assert compiled.scan_batches(batch, 0, 0, crc_table(CASTAGNOLI), columns, found) == 0


@given(st.binary(max_size=100), st.integers(0, 20))
def test_legacy_messages(data: bytes, position: int) -> None:
    body = b"\x01\x00" + data
    whole = bytes(7) + b"\x05" + (len(body) + 4).to_bytes(4, "big") + bytes(4) + body
    for buffer in (data, whole, whole + data):
        start = min(position, len(buffer)) if buffer is data else 0
        (count, end, _), _ = assert_same("kernel_legacy", "count_messages", buffer, start, len(buffer))
        bad, (spans,) = assert_same("kernel_legacy", "index_messages", buffer, start, end, new_spans(count))
        if bad < 0:
            for magic in (0, 1):
                assert_same("kernel_legacy", "encode_messages", buffer, spans, magic, 8, 3)


small = st.integers(-2, 30)


@given(st.lists(numbers, max_size=12), small, small, small, small, numbers, numbers, st.binary(max_size=12))
def test_columns(
    values: list[int], column: int, first: int, end: int, row: int, low: int, high: int, data: bytes
) -> None:
    spans = array("q", [value % 7 - 1 if index % 3 else value for index, value in enumerate(values)])
    assert_same("kernel_columns", "rows_within", spans, 3, low, high)
    small_spans = array("q", [value % 9 - 1 for value in values])
    assert_same("kernel_columns", "sum_positive", small_spans, 3, column, first, end)
    assert_same("kernel_columns", "copy_numbers", spans, 3, column, first, end, array("q", bytes(64)), row)
    assert_same("kernel_columns", "copy_counts", small_spans, 3, column, first, end, array("i", bytes(32)), row)
    room = array("i", bytes(32)), bytearray(12), bytearray(1)
    assert_same("kernel_columns", "copy_bytes", data, small_spans, 3, column, first, end, *room, row)
    target = new_spans(len(values) // 3, 3)
    for width in (4, 8, 3):
        assert_same("kernel_columns", "take_fields", data, width, data[:1], first, high, target, 3, column)
    assert_same("kernel_columns", "take_numbers", spans, target, 3, column)
    groups = array("i", [value % 5 - (value % 11 == 0) for value in values[: len(values) // 3]])
    assert_same("kernel_columns", "group_rows", spans[: 3 * len(groups)], 3, groups, new_spans(6, 1), target)


@given(st.binary(max_size=40), st.integers(-1, 2**40))
def test_murmur2(data: bytes, count: int) -> None:
    assert_same("kernel_murmur2", "murmur2", data)
    assert_same("kernel_murmur2", "partition_for_key", data, count)


@pytest.mark.parametrize("problem", [problem for problem in Problem if problem])
def test_every_problem_has_its_sentence(problem: Problem) -> None:
    assert SENTENCES[problem] in str(error_for(problem, 3))
    assert "record 3" in str(error_for(problem, 3))
