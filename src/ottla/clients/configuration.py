"""Kafka's configuration as keyword arguments: `linger_ms=5` is `linger.ms=5`.

Every key of `ottla.config` is known with its type, bounds and default; a key that nobody knows is refused with the name
it was probably meant to be. Values may be Python's own (5, True, ["a", "b"]) or the text of a properties file. Keys
that name a class in Java (serializers, partitioner, interceptors) take the object itself.
"""

from collections.abc import Mapping
from typing import Any

from ottla.config.definition import ConfigKey, nearest
from ottla.config.effective import default_value, parse_checked
from ottla.config.values import Value, invalid_value, value_text
from ottla.errors import ConfigError

OBJECT_KEYS = frozenset(
    {
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "partitioner.class",
        "interceptor.classes",
        "partition.assignment.strategy",
    }
)
# Set to anything else they would promise what is not there.
ONLY_VALUES = {
    "security.protocol": ("PLAINTEXT", "TLS and SASL are not there yet"),
    "transactional.id": (None, "transactions are not there yet"),
    "group.protocol": ("CLASSIC", "the consumer group protocol of KIP-848 is not there yet"),
}


class ClientConfig:
    """The values of one client. Reading a key that does not exist is a mistake in our code, so it is a KeyError."""

    def __init__(self, kind: str, keys: Mapping[str, ConfigKey], given: Mapping[str, object]) -> None:
        self._values: dict[str, Any] = {name: default_value(key) for name, key in keys.items()}
        self.given: dict[str, Any] = {}
        for argument, value in given.items():
            name = argument.replace("_", ".")
            if name not in keys:
                raise _unknown(kind, argument, name, keys)
            self._values[name] = self.given[name] = _checked(keys[name], value)
        self._apply_old_names(keys)
        _refuse_unsupported(self._values)

    def _apply_old_names(self, keys: Mapping[str, ConfigKey]) -> None:
        for name in list(self.given):
            present = keys[name].maps_to
            if present is not None and present not in self.given and keys[name].type != "BOOLEAN":
                self._values[present] = self.given[name]

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def int(self, name: str) -> int:
        value = self._values[name]
        assert isinstance(value, int), name
        return value

    def bool(self, name: str) -> bool:
        value = self._values[name]
        assert isinstance(value, bool), name
        return value

    def string(self, name: str) -> str | None:
        value = self._values[name]
        assert value is None or isinstance(value, str), name
        return value

    def required_string(self, name: str) -> str:
        value = self._values[name]
        assert isinstance(value, str), name
        return value


def _unknown(kind: str, argument: str, name: str, keys: Mapping[str, ConfigKey]) -> ConfigError:
    meant = nearest(name, keys)
    hint = f": did you mean {meant.replace('.', '_') if '_' in argument else meant}?" if meant else ""
    return ConfigError(f"unknown {kind} configuration {argument}{hint}")


def _checked(key: ConfigKey, value: object) -> object:
    if value is None:
        return None
    if key.name in OBJECT_KEYS and not isinstance(value, str):
        return value
    allowed = (str, int, float, list, tuple) if key.type == "LIST" else (str, int, float)
    if not isinstance(value, allowed):
        raise invalid_value(key.name, repr(value), f"a value of type {key.type} is expected")
    return parse_checked(key, _text(value))


def _text(value: object) -> str:
    """Python's values in the form of a properties file."""
    plain: Value = list(map(str, value)) if isinstance(value, list | tuple) else value  # type: ignore[assignment]
    return value_text(plain) or ""


def _refuse_unsupported(values: Mapping[str, Any]) -> None:
    for name, (only, reason) in ONLY_VALUES.items():
        value = values.get(name, only)
        if value is not None and value != only and str(value).upper() != only:
            raise ConfigError(f"{name}={value}: {reason}")
