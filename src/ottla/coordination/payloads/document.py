"""A JSON object from a znode, read with its path at hand, so that every complaint says where.

Numbers are bounded as the protocol has them, in 32 bits or 64: what stands here goes out in responses to every client,
and a number that no response can hold would end them all.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ottla.coordination.errors import PayloadError

INT32 = range(-(1 << 31), 1 << 31)
INT64 = range(-(1 << 63), 1 << 63)


def encode_json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")


class Document:
    """The fields of one JSON object, by name and type."""

    __slots__ = ("fields", "path")

    def __init__(self, path: str, fields: Mapping[str, Any]) -> None:
        self.path = path
        self.fields = fields

    def __contains__(self, name: str) -> bool:
        return self.fields.get(name) is not None

    def problem(self, text: str) -> PayloadError:
        return PayloadError(self.path, text)

    def value(self, name: str, default: Any = None) -> Any:
        """The field as it came; missing and null are the same. Without a default it must be there."""
        found = self.fields.get(name)
        if found is None:
            found = default
        if found is None:
            raise self.problem(f"no field {name!r}")
        return found

    def integer(self, name: str, default: int | None = None) -> int:
        """An int of 32 bits, or the text of one."""
        return self._integer(self.value(name, default), name)

    def long(self, name: str, default: int | None = None) -> int:
        """An int of 64 bits, or the text of one: Kafka writes timestamps and block bounds as strings."""
        return self._integer(self.value(name, default), name, INT64)

    def text(self, name: str, default: str | None = None) -> str:
        found = self.value(name, default)
        if not isinstance(found, str):
            raise self.problem(f"field {name!r} is not a string")
        return found

    def optional_text(self, name: str) -> str | None:
        return self.text(name) if name in self else None

    def array(self, name: str, default: list[Any] | None = None) -> list[Any]:
        found = self.value(name, default)
        if not isinstance(found, list):
            raise self.problem(f"field {name!r} is not an array")
        return found

    def integers(self, name: str) -> tuple[int, ...]:
        return tuple(self._integer(item, name) for item in self.array(name))

    def mapping(self, name: str, default: dict[str, Any] | None = None) -> dict[str, Any]:
        found = self.value(name, default)
        if not isinstance(found, dict):
            raise self.problem(f"field {name!r} is not an object")
        return found

    def texts(self, name: str) -> dict[str, str]:
        """A map of strings; numbers and booleans of sloppy writers become their text."""
        return {key: _as_text(value) for key, value in self.mapping(name, {}).items() if value is not None}

    def replicas(self, name: str) -> dict[int, tuple[int, ...]]:
        """`{"0":[1,2]}` -> `{0: (1, 2)}`, by partition number."""
        inner = Document(self.path, self.mapping(name, {}))
        found = {self._integer(key, name): inner.integers(key) for key in inner.fields}
        if any(number < 0 for number in found):
            raise self.problem(f"field {name!r} has a negative partition")
        return dict(sorted(found.items()))

    def documents(self, name: str) -> Iterator["Document"]:
        for item in self.array(name):
            if not isinstance(item, dict):
                raise self.problem(f"an element of {name!r} is not an object")
            yield Document(self.path, item)

    def _integer(self, value: Any, name: str, allowed: range = INT32) -> int:
        if isinstance(value, str):
            try:
                value = int(value)
            except ValueError:
                raise self.problem(f"field {name!r} is not a number: {value[:40]!r}") from None
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.problem(f"field {name!r} is not a number")
        if value not in allowed:
            raise self.problem(f"field {name!r} is not from {allowed.start} to {allowed.stop - 1}")
        return value


def decode_json(path: str, data: bytes) -> Document:
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise PayloadError(path, f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise PayloadError(path, "not a JSON object")
    return Document(path, fields)


def decode_integer(path: str, data: bytes, allowed: range = INT32) -> int:
    """A znode that is one decimal number and nothing else."""
    try:
        found = int(data.decode("ascii"))
    except ValueError:
        raise PayloadError(path, f"not a number: {data[:40]!r}") from None
    if found not in allowed:
        raise PayloadError(path, f"not from {allowed.start} to {allowed.stop - 1}: {data[:40]!r}")
    return found


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
