"""Compiles the writer of one message in one version: straight-line Python, nested structs inlined.

A writer takes a message and gives a list of chunks. It gathers pieces in `parts`; where a `records` field holds a file
slice, or so many bytes that copying them would cost more than sending them on their own, it joins the parts into a
chunk, puts the records behind it as they are, and begins anew. So a Fetch response is never one big buffer.

    def write(o1):
     chunks = []; parts = []; w = parts.append
     e = o1.name.encode(); n = len(e) + 1
     w(pack_hiB(o1.acks, o1.timeout_ms, n) if n < 128 else pack_hi(o1.acks, o1.timeout_ms) + write_uvarint(n))
     w(e)
     ...

A value that does not fit its field is our own bug and raises what `struct` raises.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack
from typing import Any

from ottla.protocol.field import EMPTY_LIST, FIXED_FORMATS, Field
from ottla.protocol.initializer import shared_default
from ottla.protocol.layout import Layout, is_nullable, layout_of
from ottla.protocol.message import Message, Struct
from ottla.protocol.primitives import write_uvarint
from ottla.protocol.source import Source, compiled_format, format_name, load_function

Writer = Callable[[Any], list[Any]]

RECORDS_COPIED_BYTES_MAX = 4096
"""Up to here records in memory are copied between their neighbours: cheaper than another piece in the send queue."""

STRUCT_FOLLOWS = b"\x01"
"""In front of a nullable struct that is not null."""

NAMES: dict[str, Any] = {
    "BYTES": [bytes([value]) for value in range(128)],
    "IN_MEMORY": frozenset({bytes, bytearray, memoryview}),
    "join": b"".join,
    "pack": pack,
    "write_uvarint": write_uvarint,
}


def compile_writer(message_class: type[Message], version: int) -> Writer:
    compiler = WriterCompiler(message_class, version)
    source = compiler.compile()
    return load_function(source, f"<writer of {message_class.__name__} v{version}>", compiler.names, "write")


class WriterCompiler(Source):
    def __init__(self, message_class: type[Message], version: int) -> None:
        super().__init__(dict(NAMES))
        self.message_class = message_class
        self.version = version
        self.flexible = version in message_class.FLEXIBLE
        self._run_format = ""
        self._run_values: list[str] = []
        self._tag_functions: list[str] = []

    def compile(self) -> str:
        with self.block("def write(o):"):
            self.line("chunks = []; parts = []; w = parts.append")
            self.write_struct(self.message_class, "o")
            self.flush()
            self.line("if parts or not chunks: chunks.append(join(parts))")
            self.line("return chunks")
        return "".join(self._tag_functions) + self.text()

    # ---- runs of fields with a fixed size

    def fixed(self, format_: str, value: str) -> None:
        self._run_format += format_
        self._run_values.append(value)

    def flush(self) -> None:
        if self._run_format:
            self.line(f"w({self._take_run()})")

    def _take_run(self) -> str:
        packed = self._pack(self._run_format, self._run_values)
        self._run_format, self._run_values = "", []
        return packed

    def _pack(self, format_: str, values: list[str]) -> str:
        """The expression that packs values; constant where there are only empty tag sections."""
        if not format_.strip("x"):
            return repr(bytes(len(format_)))
        if format_ == "B":
            return f"BYTES[{values[0]}]"
        name = "pack_" + format_name(format_)
        self.names[name] = compiled_format(format_).pack
        return f"{name}({', '.join(values)})"

    def _write_either(self, condition: str, short_format: str, short_values: list[str], long: str) -> None:
        """The run with one byte behind it where the condition holds, else the run and the bytes of `long`."""
        short = self._pack(self._run_format + short_format, self._run_values + short_values)
        if self._run_format:
            long = f"{self._take_run()} + {long}"
        self.line(f"w({short} if {condition} else {long})")

    # ---- structs

    def write_struct(self, struct_class: type[Struct], variable: str) -> None:
        """Emits what writes a struct, all but its last run."""
        layout = layout_of(struct_class, self.version)
        for field in layout.untagged:
            self.write_field(field, f"{variable}.{field.name}")
        if self.flexible:
            self._write_tags(layout, variable)

    def _write_tags(self, layout: Layout, variable: str) -> None:
        if not layout.tagged:
            self._run_format += "x"
            return
        condition = " and ".join(self._is_default(field, f"{variable}.{field.name}") for field in layout.tagged)
        name = self.variable("tags_")
        self._tag_functions.append(TagWriterCompiler(self, name, layout.tagged).compile())
        self._write_either(condition, "x", [], f"{name}({variable})")

    def _is_default(self, field: Field[Any], value: str) -> str:
        if field.default is EMPTY_LIST:
            return f"{value} == []" if is_nullable(field, self.version) else f"not {value}"
        if field.type == "struct" and field.default is not None:
            name = f"default_{field.element.__name__}"
            self.names[name] = shared_default(field.element)
            return f"({value} is {name} or {value} == {name})"
        if field.default is None:
            return f"{value} is None"
        if field.type == "uuid":
            return f"not {value}.int"
        return f"{value} == {field.default!r}"

    # ---- fields

    def write_field(self, field: Field[Any], value: str) -> None:
        if field.type == "uuid":
            self.fixed("16s", f"{value}.bytes")
        elif field.type in FIXED_FORMATS:
            self.fixed(FIXED_FORMATS[field.type], value)
        elif field.type == "struct":
            self.write_struct_field(field, value)
        elif field.type == "array":
            self._write_array(field, value)
        elif field.type == "records":
            self._write_records(field, value)
        else:
            self._write_bytes(field, value)

    def write_struct_field(self, field: Field[Any], value: str, null: bytes = b"\xff") -> None:
        variable = self.variable("o")
        self.line(f"{variable} = {value}")
        if not is_nullable(field, self.version):
            self.write_struct(field.element, variable)
            return
        self.flush()
        with self.block(f"if {variable} is None:"):
            self.line(f"w({null!r})")
        with self.block("else:"):
            self.line(f"w({STRUCT_FOLLOWS!r})")
            self.write_struct(field.element, variable)
            self.flush()

    def _write_bytes(self, field: Field[Any], value: str) -> None:
        """A string or bytes."""
        encoded = f"{value}.encode()" if field.type == "string" else value
        if is_nullable(field, self.version):
            self.line(f"v = {value}")
            encoded = "v.encode()" if field.type == "string" else "v"
            self.line(f'e = b"" if v is None else {encoded}')
            self._write_length(field, "e", "v")
        else:
            self.line(f"e = {encoded}")
            self._write_length(field, "e", None)
        self.line("w(e)")

    def _write_length(self, field: Field[Any], sized: str, nullable: str | None) -> None:
        """The run, and behind it the length of `sized`, one more where compact; `nullable` names what may be null."""
        if self.flexible:
            self.line(
                f"n = len({sized}) + 1" if nullable is None else f"n = 0 if {nullable} is None else len({sized}) + 1"
            )
            self._write_either("n < 128", "B", ["n"], "write_uvarint(n)")
        else:
            length = f"len({sized})"
            format_ = "h" if field.type == "string" else "i"
            self.fixed(format_, length if nullable is None else f"-1 if {nullable} is None else {length}")
            self.flush()

    def _write_records(self, field: Field[Any], value: str) -> None:
        self.line(f"r = {value}")
        self._write_length(field, "r", "r" if is_nullable(field, self.version) else None)
        with self.block("if r is not None:"):
            self.line(f"if type(r) in IN_MEMORY and len(r) <= {RECORDS_COPIED_BYTES_MAX}: w(r)")
            self.line("else: chunks.append(join(parts)); parts.clear(); chunks.append(r)")

    def _write_array(self, field: Field[Any], value: str) -> None:
        elements = self.variable("a")
        self.line(f"{elements} = {value}")
        if is_nullable(field, self.version):
            self._write_length(field, elements, elements)
            with self.block(f"if {elements}:"):
                self._write_elements(field.element, elements)
        else:
            self._write_length(field, elements, None)
            self._write_elements(field.element, elements)

    def _write_elements(self, element: Any, elements: str) -> None:
        if isinstance(element, Field) and element.type in FIXED_FORMATS and element.type != "uuid":
            self.line(f'if {elements}: w(pack(f">{{len({elements})}}{FIXED_FORMATS[element.type]}", *{elements}))')
            return
        variable = self.variable("o")
        with self.block(f"for {variable} in {elements}:"):
            if isinstance(element, Field):
                self.write_field(element, variable)
            else:
                self.write_struct(element, variable)
            self.flush()


class TagWriterCompiler(WriterCompiler):
    """The function that makes the whole tag section of one struct, called when one of its tags must be written."""

    def __init__(self, outer: WriterCompiler, name: str, fields: list[Field[Any]]) -> None:
        super().__init__(outer.message_class, outer.version)
        self.names = outer.names
        self.numbers = outer.numbers
        self._name = name
        self._fields = fields

    def compile(self) -> str:
        with self.block(f"def {self._name}(o):"):
            self.line("tags = []; parts = []; w = parts.append")
            for field in self._fields:
                with self.block(f"if not ({self._is_default(field, f'o.{field.name}')}):"):
                    self._write_tagged(field)
                    self.line("d = join(parts); parts.clear()")
                    self.line(f"tags.append({write_uvarint(field.tag or 0)!r} + write_uvarint(len(d)) + d)")
            self.line("return write_uvarint(len(tags)) + join(tags)")
        return "".join(self._tag_functions) + self.text()

    def _write_tagged(self, field: Field[Any]) -> None:
        if field.type == "struct":
            self.write_struct_field(field, f"o.{field.name}", null=b"\x00")  # a varint here, not an int8
        else:
            self.write_field(field, f"o.{field.name}")
        self.flush()
