"""How keys and values become bytes and back.

A serializer is a function from a value to bytes, a deserializer the reverse; None (no key, a tombstone) never comes to
them. Some go by name: "bytes", "string", "json". Without one, bytes-like values and text (as UTF-8) are taken as they
are, and consumers give bytes.
"""

import json
from collections.abc import Callable
from typing import Any

from ottla.clients.errors import SerializationError
from ottla.config.values import invalid_value

Serializer = Callable[[Any], bytes]
Deserializer = Callable[[bytes], Any]


def serialize_plain(value: Any) -> bytes:
    """Bytes as they are, text as UTF-8; nothing else is guessed at."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    raise SerializationError(
        f"bytes or str expected, not {type(value).__name__}: give the producer a value_serializer or key_serializer"
    )


def serialize_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _decode_string(data: bytes) -> str:
    return data.decode()


_SERIALIZERS: dict[str, Serializer] = {"bytes": bytes, "string": str.encode, "str": str.encode, "json": serialize_json}
_DESERIALIZERS: dict[str, Deserializer] = {"string": _decode_string, "str": _decode_string, "json": json.loads}


def find_serializer(key: str, given: object) -> Serializer | None:
    """What `key.serializer` or `value.serializer` was set to: a function, a name, or an object with `serialize`."""
    if given is None or (isinstance(given, str) and given == "bytes"):
        return None
    if isinstance(given, str):
        return _named(key, given, _SERIALIZERS)
    return _guarded(key, _function(key, given, "serialize"))


def find_deserializer(key: str, given: object) -> Deserializer | None:
    if given is None or (isinstance(given, str) and given == "bytes"):
        return None
    if isinstance(given, str):
        return _guarded(key, _named(key, given, _DESERIALIZERS))
    return _guarded(key, _function(key, given, "deserialize"))


def _named(key: str, name: str, known: dict[str, Any]) -> Callable[[Any], Any]:
    # Java's class names are known by their ends: org.apache.kafka.common.serialization.StringSerializer.
    short = name.rpartition(".")[2].removesuffix("Deserializer").removesuffix("Serializer").lower()
    found = known.get(short) or (bytes if short in ("bytes", "bytearray") else None)
    if found is None:
        raise invalid_value(key, name, f"one of {', '.join(sorted(known))}, or a function")
    return _guarded(key, found)


def _function(key: str, given: object, method: str) -> Callable[[Any], Any]:
    found = getattr(given, method, given)
    if not callable(found):
        raise invalid_value(key, repr(given), "a function is expected")
    function: Callable[[Any], Any] = found
    return function


def _guarded(key: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Whatever a user's function raises becomes a SerializationError that says whose it was."""

    def call(value: Any) -> Any:
        try:
            return function(value)
        except Exception as error:
            raise SerializationError(f"{key}: {type(error).__name__}: {error}") from error

    return call
