"""All declared messages, and random values for them: what the protocol's property tests run over."""

import importlib
import pkgutil
import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import ottla.protocol.coordinator_records
import ottla.protocol.messages
from ottla.protocol.field import Field
from ottla.protocol.layout import is_nullable, layout_of
from ottla.protocol.message import Data, Message, Request, Response, Struct

INTEGER_BITS = {"int8": 7, "int16": 15, "uint16": 16, "int32": 31, "int64": 63}
Scalar = Callable[[random.Random, Field[Any]], Any]
STRINGS = ["", "a", "topic-1", "ümlaut", "日本", "x" * 126, "y" * 127, "z" * 300]


def all_message_classes() -> list[type[Message]]:
    found: dict[str, type[Message]] = {}
    for package in (ottla.protocol.messages, ottla.protocol.coordinator_records):
        for module_info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            module = importlib.import_module(module_info.name)
            for value in vars(module).values():
                if isinstance(value, type) and issubclass(value, (Request, Response, Data)) and value.VERSIONS:
                    found[value.__name__] = value
    return list(found.values())


def all_versions() -> Iterator[tuple[type[Message], int]]:
    for message_class in all_message_classes():
        for version in message_class.VERSIONS:
            yield message_class, version


def random_message(rng: random.Random, message_class: type[Struct], version: int, scalar: Scalar | None = None) -> Any:
    """A message whose fields have values wherever the version carries them, and their defaults elsewhere.

    `scalar` says what a field gets that is neither a struct nor an array.
    """
    layout = layout_of(message_class, version)
    given = layout.untagged + [field for field in layout.tagged if rng.random() < 0.5]
    return message_class(**{field.name: _random_value(rng, field, version, scalar or random_scalar) for field in given})


def _random_value(rng: random.Random, field: Field[Any], version: int, scalar: Scalar) -> Any:
    if is_nullable(field, version) and rng.random() < 0.3:
        return None
    if field.type == "struct":
        return random_message(rng, field.element, version, scalar)
    if field.type == "array":
        return [_random_element(rng, field.element, version, scalar) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return scalar(rng, field)


def _random_element(rng: random.Random, element: Any, version: int, scalar: Scalar) -> Any:
    if isinstance(element, Field):
        return _random_value(rng, element, version, scalar)
    return random_message(rng, element, version, scalar)


def random_scalar(rng: random.Random, field: Field[Any]) -> Any:
    type_ = field.type
    if bits := INTEGER_BITS.get(type_):
        low = 0 if type_ == "uint16" else -(1 << bits)
        return rng.choice((low, 0, 1, (1 << bits) - 1, rng.randrange(low, 1 << bits)))
    match type_:
        case "boolean":
            return rng.random() < 0.5
        case "float64":
            return rng.choice((0.0, -1.5, 1e300))
        case "uuid":
            return uuid.UUID(int=rng.getrandbits(128))
        case "string":
            return rng.choice(STRINGS)
        case _:
            return rng.randbytes(rng.choice((0, 1, 126, 127, 128, 300)))
