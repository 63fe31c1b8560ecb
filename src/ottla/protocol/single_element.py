"""Packs responses that have one element in each array, such as one topic with one partition, without a message.

Most Produce and Fetch responses are of this kind: from one to the next a few numbers change, and the records. A
*template* is a response message of that kind. The writer of its version encodes it, twice with different numbers, and
where the two differ is where the numbers stand: the layout is known to the writer alone. For each response class and
version a function is compiled that packs numbers and records between the bytes of a template that stay the same:

    def pack(template, throttle_time_ms, session_id, ..., records):
     p, c0, c1, c2, after = template
     n = len(records) + 1
     return join((p(c0, throttle_time_ms, c1, session_id, c2), BYTES[n] if n < 128 else write_uvarint(n), records,
                  after))

Fields that the version does not have are arguments all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from struct import Struct as Format
from typing import Any, NamedTuple

from ottla.protocol.codec import encode
from ottla.protocol.field import FIXED_FORMATS, Field
from ottla.protocol.layout import FIXED_SIZES, layout_of
from ottla.protocol.message import Response, Struct
from ottla.protocol.primitives import write_uvarint
from ottla.protocol.source import Source, load_function

Template = tuple[Any, ...]
"""What packs the head, the bytes between its numbers, and those behind the records."""

_RECORDS = b"the records of a template"
_MARKS = (b"\x11", b"\x22")
_INT32 = Format(">i")
_NAMES: dict[str, Any] = {
    "BYTES": [bytes([value]) for value in range(128)],
    "join": b"".join,
    "pack_length": _INT32.pack,
    "write_uvarint": write_uvarint,
}


class _Number(NamedTuple):
    """A field whose value changes: which arrays lead to its struct, and its place there."""

    arrays: tuple[str, ...]
    place: int
    field: Field[Any]

    @property
    def size(self) -> int:
        return FIXED_SIZES[self.field.type]

    def owner_in(self, response: Response) -> Struct:
        struct: Any = response
        for name in self.arrays:
            (struct,) = getattr(struct, name)
        return struct  # type: ignore[no-any-return]


class SingleElementPacker:
    """For one response class and version. `fields` are the names of the numbers, which `pack` takes in this order.

    `records` is the name of the response's records, where it has some: `pack` takes them last.
    """

    __slots__ = ("_is_flexible", "_records", "_runs", "_version", "pack")

    def __init__(
        self, response_class: type[Response], version: int, fields: Sequence[str], records: str | None = None
    ) -> None:
        self._version = version
        self._is_flexible = version in response_class.FLEXIBLE
        numbers = list(_numbers(response_class, version, frozenset((*fields, records))))
        self._records = next((number for number in numbers if number.field.name == records), None)
        self._runs = _runs([number for number in numbers if number.field.name != records])
        self.pack: Callable[..., bytes] = self._compile(response_class, fields)

    def _compile(self, response_class: type[Response], fields: Sequence[str]) -> Callable[..., bytes]:
        constants = [f"c{index}" for index in range(len(self._runs) + 1)]
        values = [constants[0]]
        for constant, run in zip(constants[1:], self._runs, strict=True):
            values += [*(number.field.name for number in run), constant]
        packed = f"p({', '.join(values)})"
        source = Source(dict(_NAMES))
        with source.block(f"def pack(template, {', '.join(fields)}{', records' if self._records else ''}):"):
            source.line(f"p, {', '.join(constants)}, after = template")
            if self._records is None:
                source.line(f"return {packed}")
            elif self._is_flexible:
                source.line("n = len(records) + 1")
                length = "BYTES[n] if n < 128 else write_uvarint(n)"
                source.line(f"return join(({packed}, {length}, records, after))")
            else:
                source.line(f"return join(({packed}, pack_length(len(records)), records, after))")
        title = f"<packer of {response_class.__name__} v{self._version}>"
        return load_function(source.text(), title, source.names, "pack")

    def template(self, response: Response) -> Template:
        """What `pack` needs of a response with one element in each array. Its numbers and records do not matter."""
        before, after = self._encode(response, _MARKS[0])
        other, _ = self._encode(response, _MARKS[1])
        constants, format_ = [], ">"
        end = 0
        for run in self._runs:
            start = next(position for position in range(end, len(before)) if before[position] != other[position])
            constants.append(before[end:start])
            format_ += f"{start - end}s" + "".join(FIXED_FORMATS[number.field.type] for number in run)
            end = start + sum(number.size for number in run)
        constants.append(before[end:])
        return (Format(f"{format_}{len(before) - end}s").pack, *constants, after)

    def _encode(self, response: Response, mark: bytes) -> tuple[bytes, bytes]:
        """What stands before the length of the records, and behind them. Without records the end is not behind."""
        for run in self._runs:
            for number in run:
                setattr(number.owner_in(response), number.field.name, int.from_bytes(mark * number.size, "big"))
        if self._records is None:
            return encode(response, self._version), b""
        setattr(self._records.owner_in(response), self._records.field.name, _RECORDS)
        size = len(_RECORDS)
        length = write_uvarint(size + 1) if self._is_flexible else _INT32.pack(size)
        before, _, after = encode(response, self._version).rpartition(length + _RECORDS)
        return before, after


def _numbers(
    struct_class: type[Struct], version: int, names: frozenset[str | None], arrays: tuple[str, ...] = ()
) -> Iterator[_Number]:
    """The fields of these names that the version has, in the order of the wire."""
    for place, field in enumerate(layout_of(struct_class, version).untagged):
        if field.name in names:
            yield _Number(arrays, place, field)
        elif field.type == "array" and not isinstance(field.element, Field):
            yield from _numbers(field.element, version, names, (*arrays, field.name))


def _runs(numbers: list[_Number]) -> list[list[_Number]]:
    """Numbers with nothing between them are packed in one go."""
    runs: list[list[_Number]] = []
    for number in numbers:
        before = runs[-1][-1] if runs else None
        if before is not None and (before.arrays, before.place + 1) == (number.arrays, number.place):
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
