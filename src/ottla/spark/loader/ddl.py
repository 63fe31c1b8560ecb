"""The schema of JSON as a person writes it: `id long, name string, tags array<string>, place struct<city: string>`.

Spark's names of types, a colon or a space between name and type. Every column may be null.
"""

import re
from collections.abc import Iterator

import pyarrow as pa

from ottla.errors.tree import ConfigError

TYPES = {
    "string": pa.string(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "date": pa.date32(),
}
_TOKEN = re.compile(r"\s*(`[^`]+`|\w+|[<>,:])")


def parse_schema(text: str) -> pa.Schema:
    parser = _Parser(text)
    fields = parser.fields(end=None)
    if not fields:
        raise ConfigError("--schema is empty: write it as 'id long, name string', or --schema json")
    names = [field.name.lower() for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"--schema has {name} twice")
    return pa.schema(fields)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [*_tokens(text), None]
        self._next = 0

    def fields(self, end: str | None) -> list[pa.Field]:
        found: list[pa.Field] = []
        while self._peek() != end:
            if found:
                self._take(",")
            name = self._name()
            if self._peek() == ":":
                self._take(":")
            found.append(pa.field(name, self._type()))
        return found

    def _type(self) -> pa.DataType:
        name = self._name().lower()
        if name == "array":
            self._take("<")
            element = self._type()
            self._take(">")
            return pa.list_(pa.field("element", element))
        if name == "struct":
            self._take("<")
            fields = self.fields(end=">")
            self._take(">")
            return pa.struct(fields)
        if name not in TYPES:
            raise ConfigError(f"--schema: there is no type {name} (there are: {', '.join(TYPES)}, array<>, struct<>)")
        return TYPES[name]

    def _peek(self) -> str | None:
        return self._tokens[self._next]

    def _name(self) -> str:
        token = self._peek()
        if token is None or token in "<>,:":
            raise self._error(token)
        self._next += 1
        return token.strip("`")

    def _take(self, wanted: str) -> None:
        if self._peek() != wanted:
            raise self._error(self._peek())
        self._next += 1

    def _error(self, token: str | None) -> ConfigError:
        return ConfigError(f"--schema {self._text!r}: did not expect {'its end' if token is None else repr(token)}")


def _tokens(text: str) -> Iterator[str]:
    position = 0
    while position < len(text.rstrip()):
        found = _TOKEN.match(text, position)
        if found is None:
            raise ConfigError(f"--schema {text!r}: did not expect {text[position:].strip()[:1]!r}")
        yield found[1]
        position = found.end()
