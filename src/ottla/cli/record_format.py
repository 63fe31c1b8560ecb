r"""How `ottla consume` writes records: kcat's format strings, its JSON envelope, keys before values.

    %s  value         %S  its length (-1: null)     %R  its length as 4 bytes, big-endian
    %k  key           %K  its length (-1: null)     %h  headers: name=value,name=value
    %t  topic         %p  partition                 %o  offset
    %T  timestamp     %%  a per cent sign           \n \t \r \0 \\ \xNN  as in C

Everything is bytes: a value is written as it is, whatever it is.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from ottla.cli.record_fields import bytes_fields, header_fields
from ottla.clients.consumer.record import ConsumerRecord
from ottla.errors.tree import OperatorError

Writer = Callable[[ConsumerRecord], bytes]

_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "0": b"\0", "\\": b"\\"}
_TOKEN = re.compile(r"%(.)|\\x([0-9a-fA-F]{2})|\\(.)|([^%\\]+)|(.)", re.DOTALL)


def _length(data: bytes | None) -> int:
    return -1 if data is None else len(data)


_FIELDS: dict[str, Writer] = {
    "s": lambda record: record.value or b"",
    "S": lambda record: b"%d" % _length(record.value),
    "R": lambda record: _length(record.value).to_bytes(4, "big", signed=True),
    "k": lambda record: record.key or b"",
    "K": lambda record: b"%d" % _length(record.key),
    "t": lambda record: record.topic.encode(),
    "p": lambda record: b"%d" % record.partition,
    "o": lambda record: b"%d" % record.offset,
    "T": lambda record: b"%d" % record.timestamp,
    "h": lambda record: b",".join(name.encode() + b"=" + (value or b"NULL") for name, value in record.headers),
    "%": lambda record: b"%",
}


def compile_format(text: str) -> Writer:
    """OperatorError for a token that does not exist."""
    parts = [_part(match) for match in _TOKEN.finditer(text)]
    return lambda record: b"".join(part if isinstance(part, bytes) else part(record) for part in parts)


def _part(match: "re.Match[str]") -> bytes | Writer:
    token, octet, escape, plain, other = match.groups()
    if token is not None:
        if token not in _FIELDS:
            raise OperatorError(f"there is no %{token} in a format; there are %{' %'.join(_FIELDS)}")
        return _FIELDS[token]
    if octet is not None:
        return bytes.fromhex(octet)
    if escape is not None:
        return _ESCAPES.get(escape, escape.encode())
    return (plain or other).encode()


def unescape(text: str) -> bytes:
    r"""A delimiter as it is written on the command line: `:`, `\t`, `\x01`."""
    parts = [_part(match) for match in _TOKEN.finditer(text.replace("%", "%%"))]
    return b"".join(part if isinstance(part, bytes) else b"%" for part in parts)


def plain_writer(key_delimiter: str | None, delimiter: str, null: str | None) -> Writer:
    """Value, after the key where a delimiter for it is given; `null` is written for what is not there."""
    end = unescape(delimiter)
    nothing = (null or "").encode()
    if key_delimiter is None:
        return lambda record: (nothing if record.value is None else record.value) + end
    middle = unescape(key_delimiter)

    def write(record: ConsumerRecord) -> bytes:
        key = nothing if record.key is None else record.key
        return bytes(key + middle + (nothing if record.value is None else record.value) + end)

    return write


def json_writer(record: ConsumerRecord) -> bytes:
    """kcat's envelope, a line of JSON; bytes that are no text under names of their own (`record_fields`)."""
    envelope: dict[str, Any] = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "tstype": "logappend" if record.timestamp_type else "create",
        "ts": record.timestamp,
    }
    for name, pairs in header_fields(record.headers).items():
        envelope[name] = [part for pair in pairs for part in pair]
    envelope |= bytes_fields("key", record.key) | bytes_fields("payload", record.value)
    return json.dumps(envelope, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
