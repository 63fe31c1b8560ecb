"""Records as JSON and back: every byte, header and null is as it was."""

import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ottla.cli.record_fields import RECORD_COLUMNS, bytes_of, headers_of, record_fields
from ottla.cli.record_format import json_writer
from ottla.cli.record_input import InputRecord, JsonInput
from ottla.clients.consumer.record import ConsumerRecord
from ottla.errors import OperatorError

DATA = st.none() | st.binary(max_size=20) | st.text(max_size=10).map(str.encode)
NAMES = st.sampled_from(["", "a", "key", "ä"]) | st.text(max_size=5)
HEADERS = st.lists(st.tuples(NAMES, DATA), max_size=4).map(tuple)


@given(st.lists(st.tuples(DATA, DATA, HEADERS, st.integers(-1, 2**62)), max_size=4))
@example([(b"\xff\xfe", b"\xef\xbf\xbd", (("a", b"\xff"), ("a", None), ("a", b"")), 5)])
@example([(None, b"\n\r\0\xe2\x80\xa8", (("a", b"1"), ("a", b"2")), 0)])
def test_lines_of_json_bring_back_every_record(records: list[tuple]) -> None:
    lines = b"".join(
        json_writer(ConsumerRecord("t", 0, 0, 0, offset, timestamp, key, value, headers))
        for offset, (key, value, headers, timestamp) in enumerate(records)
    )
    assert list(JsonInput().records(io.BytesIO(lines))) == [
        InputRecord(key, value, list(headers), timestamp if timestamp >= 0 else None)
        for key, value, headers, timestamp in records
    ]


@given(DATA, DATA, HEADERS)
def test_rows_say_the_same_as_lines(key: bytes | None, value: bytes | None, headers: tuple) -> None:
    fields = record_fields(key, value, headers)
    assert set(fields) < set(RECORD_COLUMNS)
    found = json.loads(json.dumps(fields))
    assert (bytes_of(found, "key"), bytes_of(found, "value"), headers_of(found)) == (key, value, list(headers))
    again = JsonInput().record(json.dumps(fields).encode())
    assert (again.key, again.value, list(again.headers)) == (key, value, list(headers))


def test_text_stays_text_as_kcat_has_it() -> None:
    line = json.loads(json_writer(ConsumerRecord("t", 0, 0, 0, 7, 5, b"k", "grün".encode(), (("a", b"1"),))))
    assert (line["key"], line["payload"], line["headers"]) == ("k", "grün", ["a", "1"])
    line = json.loads(json_writer(ConsumerRecord("t", 0, 0, 0, 7, 5, None, b"\xff", (("a", b"\xff"), ("b", None)))))
    assert (line["key"], line["payload_base64"], line["headers_base64"]) == (None, "/w==", ["a", "/w==", "b", None])
    assert not {"payload", "headers"} & set(line)


def test_headers_may_be_an_object_and_values_any_json() -> None:
    record = JsonInput().record(b'{"value": {"a": 1}, "headers": {"n": 5}}')
    assert (record.value, record.headers) == (b'{"a": 1}', [("n", b"5")])


@pytest.mark.parametrize(
    "line",
    ["5", "[1]", '"text"', "{", '{"key_base64": "%"}', '{"headers": ["a"]}', '{"headers": [1, "a"]}', '{"headers": 5}',
     '{"ts": "now"}', '{"headers": [["a"]]}', '{"key_base64": 5}', '{"key": "\\ud800"}'],
)  # fmt: skip
def test_what_is_no_record_is_refused_with_its_line(line: str) -> None:
    with pytest.raises(OperatorError, match="line 2 is no record in JSON"):
        list(JsonInput().records(io.BytesIO(b"{}\n" + line.encode())))
