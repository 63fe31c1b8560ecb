"""The classes that messages derive from.

Creating such a class makes slots and nothing else (hundreds exist, most of them are never used in a process); the
constructor, the readers and the writers of a class are compiled on their first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ottla.protocol.field import Field, parse_versions
from ottla.protocol.initializer import compile_initializer


class StructType(type):
    """Takes the fields out of a class body and makes slots of them."""

    def __new__(mcs, class_name: str, bases: tuple[type, ...], body: dict[str, Any], **options: Any) -> StructType:
        names = tuple([name for name, value in body.items() if type(value) is Field])
        fields = tuple([body.pop(name) for name in names])
        for name, field in zip(names, fields, strict=True):
            field.name = name
        body["__slots__"] = names
        body["FIELDS"] = fields or getattr(bases[0] if bases else None, "FIELDS", ())
        return super().__new__(mcs, class_name, bases, body, **options)


class Struct(metaclass=StructType):
    """A group of fields inside a message. Constructed by keyword; what is not given has Kafka's default."""

    FIELDS: ClassVar[tuple[Field[Any], ...]]
    __hash__ = None  # type: ignore[assignment]  # messages are mutable

    def __init__(self, **values: Any) -> None:
        """The first construction compiles the class's own `__init__`, which takes its place."""
        initializer = compile_initializer(type(self))
        type.__setattr__(type(self), "__init__", initializer)
        initializer(self, **values)

    def __eq__(self, other: object) -> bool:
        if not (isinstance(other, type(self)) or isinstance(self, type(other))):
            return NotImplemented
        return all(getattr(self, field.name) == getattr(other, field.name) for field in self.FIELDS)

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in self.FIELDS)
        return f"{type(self).__name__}({fields})"


class Message(Struct):
    """What is encoded and decoded as a whole: a request, a response, or a payload inside a record."""

    VERSIONS: ClassVar[range]
    FLEXIBLE: ClassVar[range]
    READERS: ClassVar[dict[int, Callable[[memoryview, int], tuple[Any, int]]]]
    WRITERS: ClassVar[dict[int, Callable[[Any], list[Any]]]]

    def __init_subclass__(cls, *, versions: str = "none", flexible: str = "none") -> None:
        cls.VERSIONS = parse_versions(versions)
        cls.FLEXIBLE = parse_versions(flexible)
        cls.READERS = {}
        cls.WRITERS = {}


class ApiMessage(Message):
    """A request or a response of the API with number `API_KEY`."""

    API_KEY: ClassVar[int]

    def __init_subclass__(cls, *, key: int = -1, versions: str = "none", flexible: str = "none") -> None:
        super().__init_subclass__(versions=versions, flexible=flexible)
        cls.API_KEY = key


class Request(ApiMessage):
    """What a client sends."""

    ELEMENTS_MAX: ClassVar[int | None] = 100_000
    """Of all its arrays together. An element can be one byte, and takes a thousand times that while it is handled.

    None for what only brokers send each other: that is as large as the cluster.
    """


class Response(ApiMessage):
    """What a broker sends back."""


class Data(Message):
    """A payload inside a record or inside a `bytes` field; its version is written in front of it (see `versioned`)."""
