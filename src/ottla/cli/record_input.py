"""Records read from a stream: lines, or what another delimiter ends, with a key in front or not; or lines of JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from ottla.cli.record_fields import Header, bytes_of, headers_of
from ottla.cli.record_format import unescape
from ottla.errors.tree import OperatorError

_CHUNK_BYTES = 1 << 16


class InputRecord(NamedTuple):
    key: bytes | None
    value: bytes | None
    headers: Sequence[Header] = ()
    timestamp_ms: int | None = None


def split(stream: IO[bytes], delimiter: bytes) -> Iterator[bytes]:
    """What lies between delimiters; the last piece needs none. Lines of a terminal come as they are typed."""
    if delimiter == b"\n":
        for line in stream:
            yield line.removesuffix(b"\n")
        return
    left = b""
    while chunk := stream.read(_CHUNK_BYTES):
        *pieces, left = (left + chunk).split(delimiter)
        yield from pieces
    if left:
        yield left


class PlainInput:
    def __init__(
        self,
        delimiter: str = r"\n",
        key_delimiter: str | None = None,
        key: str | None = None,
        headers: Sequence[Header] = (),
        empty_is_null: bool = False,
    ) -> None:
        self._delimiter = unescape(delimiter)
        self._key_delimiter = None if key_delimiter is None else unescape(key_delimiter)
        self._key = None if key is None else key.encode()
        self._headers = headers
        self._empty_is_null = empty_is_null

    def records(self, stream: IO[bytes]) -> Iterator[InputRecord]:
        return map(self.record, split(stream, self._delimiter))

    def record(self, data: bytes) -> InputRecord:
        key: bytes | None = self._key
        value: bytes | None = data
        if self._key_delimiter is not None:
            before, found, after = data.partition(self._key_delimiter)
            if found:
                key, value = before, after
        if self._empty_is_null:
            key, value = key or None, value or None
        return InputRecord(key, value, self._headers)


class JsonInput:
    """The envelopes of `ottla consume -J`: key, `payload` or `value`, headers, time. Partitions are chosen anew."""

    def records(self, stream: IO[bytes]) -> Iterator[InputRecord]:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield self._record(line, number)

    def record(self, data: bytes) -> InputRecord:
        return self._record(data, 1)

    def _record(self, line: bytes, number: int) -> InputRecord:
        try:
            found = json.loads(line)
            if not isinstance(found, dict):
                raise ValueError("an object is expected")
            return InputRecord(
                bytes_of(found, "key"), bytes_of(found, "payload", "value"), headers_of(found), _timestamp(found)
            )
        except (ValueError, TypeError) as error:
            raise OperatorError(f"line {number} is no record in JSON: {error}") from error


def _timestamp(found: dict[str, Any]) -> int | None:
    """None for a record that has none, which consumers show as -1."""
    given = found.get("ts", found.get("timestamp"))
    if given is not None and not isinstance(given, int):
        raise ValueError(f"a time is a whole number of milliseconds, not {given!r}")
    return None if given is None or given < 0 else given
