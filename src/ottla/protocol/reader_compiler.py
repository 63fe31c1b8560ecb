"""Compiles the reader of one message in one version: straight-line Python, nested structs inlined.

The source of ProduceRequest v9 begins like this (`b` is the buffer, `p` the position in it, `n` a length):

    def read(b, p):
     size = len(b)
     o1 = new(ProduceRequest)
     n = b[p]; p += 1
     ...
     o1.acks, o1.timeout_ms, n = unpack_hiB(b, p); p += 7

Invariants against hostile bytes: every length is checked against what is left before it is used; a count of elements
is at most what is left divided by the smallest element, so nothing is allocated that the input does not pay for;
the elements of a request are counted (`c`) over all its arrays, those of known tags for themselves, and bounded;
`p` never goes back. Reading past the end raises IndexError or struct.error, which `codec.decode` turns into
DecodeError. The depth of the loops is that of the schema, never of the input.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import unpack_from
from typing import Any
from uuid import UUID

from ottla.model import ZERO_UUID
from ottla.protocol.field import EMPTY_LIST, FIXED_FORMATS, Field
from ottla.protocol.initializer import initial_value
from ottla.protocol.layout import FIXED_SIZES, element_size_min, is_nullable, layout_of
from ottla.protocol.message import Message, Request, Struct
from ottla.protocol.primitives import (
    finish_uvarint,
    read_tag,
    read_uuids,
    refuse_elements,
    refuse_length,
    refuse_overrun,
    refuse_tag,
    skip_tags,
    uuids,
)
from ottla.protocol.source import Source, compiled_format, format_name, load_function

Reader = Callable[[memoryview, int], tuple[Any, int]]

NAMES: dict[str, Any] = {
    "ZERO_UUID": ZERO_UUID,
    "finish_uvarint": finish_uvarint,
    "new": object.__new__,
    "read_tag": read_tag,
    "read_uuids": read_uuids,
    "refuse_elements": refuse_elements,
    "refuse_length": refuse_length,
    "refuse_overrun": refuse_overrun,
    "refuse_tag": refuse_tag,
    "skip_tags": skip_tags,
    "uuids": uuids,
}


def compile_reader(message_class: type[Message], version: int) -> Reader:
    compiler = ReaderCompiler(message_class, version)
    source = compiler.compile()
    return load_function(source, f"<reader of {message_class.__name__} v{version}>", compiler.names, "read")


class ReaderCompiler(Source):
    def __init__(self, message_class: type[Message], version: int) -> None:
        super().__init__(dict(NAMES))
        self.message_class = message_class
        self.version = version
        self.flexible = version in message_class.FLEXIBLE
        self.elements_max = message_class.ELEMENTS_MAX if issubclass(message_class, Request) else None
        self._run_format = ""
        self._run_targets: list[str] = []
        self._run_size = 0
        self._tag_functions: list[str] = []

    def compile(self) -> str:
        with self.block("def read(b, p):"):
            self.line("size = len(b)")
            if self.elements_max is not None:
                self.line("c = 0")
            result = self.read_struct(self.message_class)
            self.flush()
            self.line(f"return {result}, p")
        return "".join(self._tag_functions) + self.text()

    # ---- runs of fields with a fixed size

    def fixed(self, format_: str, size: int, target: str) -> None:
        self._run_format += format_
        self._run_size += size
        self._run_targets.append(target)

    def flush(self) -> None:
        if not self._run_format:
            return
        if self._run_format == "B":
            self.line(f"{self._run_targets[0]} = b[p]; p += 1")
        else:
            name = "unpack_" + format_name(self._run_format)
            self.names[name] = compiled_format(self._run_format).unpack_from
            targets = ", ".join(self._run_targets) + ("," if len(self._run_targets) == 1 else "")
            self.line(f"{targets} = {name}(b, p); p += {self._run_size}")
        self._run_format, self._run_size, self._run_targets = "", 0, []

    # ---- structs

    def read_struct(self, struct_class: type[Struct]) -> str:
        """Emits what reads a struct, all but its last run, and gives the name of the variable that holds it."""
        variable = self.variable("o")
        layout = layout_of(struct_class, self.version)
        self.names[struct_class.__name__] = struct_class
        self.line(f"{variable} = new({struct_class.__name__})")
        self._set_defaults(variable, layout.absent + layout.tagged)
        for field in layout.untagged:
            self.read_field(field, f"{variable}.{field.name}")
        if self.flexible:
            self.fixed("B", 1, "n")
            self.flush()
            if layout.tagged:
                self.line(f"if n: p = {self._tag_function(layout.tagged)}(b, p, size, n, {variable})")
            else:
                self.line("if n: p = skip_tags(b, p, size, n)")
        return variable

    def _set_defaults(self, variable: str, fields: list[Field[Any]]) -> None:
        targets: dict[str, list[str]] = {}
        for field in fields:
            expression = self._default_expression(field)
            # Lists and structs with lists are new for every message; what cannot change is assigned in one go.
            shared = expression if expression[-1] not in "])" else field.name
            targets.setdefault(shared, [expression]).append(f"{variable}.{field.name}")
        for expression, *names in targets.values():
            self.line(" = ".join([*names, expression]))

    def _default_expression(self, field: Field[Any]) -> str:
        default = initial_value(field)
        if default is EMPTY_LIST:
            return "[]"
        if isinstance(default, UUID):
            return "ZERO_UUID"
        if field.type != "struct" or default is None:
            return repr(default)
        name = field.element.__name__
        if default is field.element:
            self.names[name] = field.element
            return f"{name}()"
        self.names[f"default_{name}"] = default
        return f"default_{name}"

    def _tag_function(self, fields: list[Field[Any]]) -> str:
        """A function of its own for the tags a struct knows: they are rare, and this keeps them out of the way."""
        name = self.variable("tags_")
        inner = TagReaderCompiler(self, name, fields)
        self._tag_functions.append(inner.compile())
        return name

    # ---- fields

    def read_field(self, field: Field[Any], target: str) -> None:
        if field.type == "uuid":
            self.fixed("16s", 16, "u")
            self.flush()
            self.line(f"{target} = uuids[u]")
        elif field.type in FIXED_FORMATS:
            self.fixed(FIXED_FORMATS[field.type], FIXED_SIZES[field.type], target)
        elif field.type == "struct":
            self.read_struct_field(field, target)
        else:
            self._read_sized(field, target)

    def read_struct_field(self, field: Field[Any], target: str, is_null: str = "n < 0") -> None:
        if not is_nullable(field, self.version):
            variable = self.read_struct(field.element)
            self.flush()
            self.line(f"{target} = {variable}")
            return
        self.fixed("b", 1, "n")
        self.flush()
        with self.block(f"if {is_null}:"):
            self.line(f"{target} = None")
        with self.block("else:"):
            variable = self.read_struct(field.element)
            self.flush()
            self.line(f"{target} = {variable}")

    def _read_sized(self, field: Field[Any], target: str) -> None:
        """Strings, bytes, records and arrays: a length, then as many bytes or elements."""
        self._read_length(field)
        if is_nullable(field, self.version):
            with self.block("if n < 0:"):
                if not self.flexible:
                    self.line(f'if n != -1: refuse_length("{field.name}", n)')
                self.line(f"{target} = None")
            with self.block("else:"):
                self._read_content(field, target)
        else:
            self.line(f'if n < 0: refuse_length("{field.name}", n)')
            self._read_content(field, target)

    def _read_length(self, field: Field[Any]) -> None:
        """Into `n`, below 0 for null; compact lengths are one more on the wire."""
        if self.flexible:
            self.fixed("B", 1, "n")
            self.flush()
            self.line("if n > 127: n, p = finish_uvarint(b, p, n)")
            self.line("n -= 1")
        else:
            format_, size = ("h", 2) if field.type == "string" else ("i", 4)
            self.fixed(format_, size, "n")
            self.flush()

    def _read_content(self, field: Field[Any], target: str) -> None:
        if field.type == "array":
            self._read_array(field, target)
            return
        value = {"string": 'str(b[p:e], "utf-8")', "bytes": "bytes(b[p:e])", "records": "b[p:e]"}[field.type]
        self.line("e = p + n")
        self.line(f'if e > size: refuse_overrun("{field.name}", n, size - p)')
        self.line(f"{target} = {value}; p = e")

    def _read_array(self, field: Field[Any], target: str) -> None:
        size_min = element_size_min(field, self.version, self.flexible)
        fits = f"(size - p) // {size_min}" if size_min > 1 else "size - p"
        self.line(f'if n > {fits}: refuse_overrun("{field.name}", n, size - p)')
        self._count_elements()
        element = field.element
        if not isinstance(element, Field):
            self._read_elements(target, lambda: self.read_struct(element))
        elif element.type == "uuid":
            self.line(f"{target} = read_uuids(b, p, n); p += 16 * n")
        elif element.type in FIXED_FORMATS:
            self.names["unpack_from"] = unpack_from
            format_ = FIXED_FORMATS[element.type]
            self.line(f'{target} = list(unpack_from(f">{{n}}{format_}", b, p)); p += {size_min} * n')
        else:
            self._read_elements(target, lambda: self._read_sized_element(element))

    def _count_elements(self) -> None:
        if self.elements_max is not None:
            self.line("c += n")
            self.line(f"if c > {self.elements_max}: refuse_elements({self.elements_max})")

    def _read_elements(self, target: str, read_element: Callable[[], str]) -> None:
        elements = self.variable("a")
        self.line(f"{target} = {elements} = []")
        with self.block("for _ in range(n):"):
            variable = read_element()
            self.flush()
            self.line(f"{elements}.append({variable})")

    def _read_sized_element(self, element: Field[Any]) -> str:
        self._read_sized(element, "v")
        return "v"


class TagReaderCompiler(ReaderCompiler):
    """The function that reads the tagged fields of one struct into its object."""

    def __init__(self, outer: ReaderCompiler, name: str, fields: list[Field[Any]]) -> None:
        super().__init__(outer.message_class, outer.version)
        self.names = outer.names
        self.numbers = outer.numbers
        self._name = name
        self._fields = fields

    def compile(self) -> str:
        with self.block(f"def {self._name}(b, p, size, n, o):"):
            if self.elements_max is not None:
                self.line("c = 0")
            self.line("if n > 127: n, p = finish_uvarint(b, p, n)")
            self.line("t = -1")
            with self.block("for _ in range(n):"):
                self.line("t, p, end = read_tag(b, p, size, t)")
                for index, field in enumerate(self._fields):
                    with self.block(f"{'el' if index else ''}if t == {field.tag}:"):
                        self._read_tagged(field)
                        self.line(f'if p != end: refuse_tag("{field.name}", p - end)')
                self.line("p = end")
            self.line("return p")
        return "".join(self._tag_functions) + self.text()

    def _read_tagged(self, field: Field[Any]) -> None:
        if field.type == "struct":
            self.read_struct_field(field, f"o.{field.name}", is_null="n == 0")  # a varint here, not an int8
        else:
            self.read_field(field, f"o.{field.name}")
        self.flush()
