"""The bytes of a record as fields of JSON: text where that is exact, else base64 under a name of its own.

    "key": "user-1"          UTF-8
    "key": null              no key
    "key_base64": "//4="     any other bytes; there is no "key" then

Headers are one list: `headers`, or `headers_base64`, with all values in base64, where one of them is no UTF-8. A name
may come twice, and a value may be null.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Header = tuple[str, bytes | None]
_SUFFIX = "_base64"


def bytes_fields(name: str, data: bytes | None) -> dict[str, str | None]:
    """The one field that key or value becomes."""
    try:
        return {name: _text(data)}
    except UnicodeDecodeError:
        return {name + _SUFFIX: _base64(data)}


def header_fields(headers: Sequence[Header]) -> dict[str, list[list[str | None]]]:
    """The one field that all headers become: pairs of name and value."""
    try:
        return {"headers": _pairs(headers, _text)}
    except UnicodeDecodeError:
        return {"headers" + _SUFFIX: _pairs(headers, _base64)}


def record_fields(key: bytes | None, value: bytes | None, headers: Sequence[Header]) -> dict[str, Any]:
    return bytes_fields("key", key) | bytes_fields("value", value) | header_fields(headers)


# What `record_fields` may give, for forms that have the same columns in every row.
RECORD_COLUMNS = ["key", "value", "headers", "key_base64", "value_base64", "headers_base64"]


def bytes_of(found: Mapping[str, Any], *names: str) -> bytes | None:
    """What stands under the first of these names that is there. ValueError for what is no base64."""
    for name in names:
        if name in found:
            return _encoded(found[name])
        if name + _SUFFIX in found:
            return _decoded(found[name + _SUFFIX])
    return None


def headers_of(found: Mapping[str, Any]) -> list[Header]:
    """From pairs, from a flat list as kcat has it, or from an object. ValueError or TypeError for anything else."""
    encoded = "headers" + _SUFFIX in found
    given = found.get("headers" + _SUFFIX if encoded else "headers") or ()
    read = _decoded if encoded else _encoded
    return [(_name(name), read(value)) for name, value in _given_pairs(given)]


def _given_pairs(given: Any) -> Any:
    if isinstance(given, Mapping):
        return given.items()
    if all(isinstance(one, list) for one in given):
        return given
    if len(given) % 2:
        raise ValueError("headers are a list of names and values: one is without the other")
    return zip(given[::2], given[1::2], strict=True)


def _name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a header is text, not {name!r}")
    return name


def _text(data: bytes | None) -> str | None:
    return None if data is None else bytes(data).decode()


def _base64(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _pairs(headers: Sequence[Header], shown: Callable[[bytes | None], str | None]) -> list[list[str | None]]:
    return [[name, shown(value)] for name, value in headers]


def _encoded(value: Any) -> bytes | None:
    """A text's bytes; any other value of JSON stands for its own text."""
    if value is None:
        return None
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


def _decoded(text: Any) -> bytes | None:
    return None if text is None else b64decode(text, validate=True)
