"""Which fields of a struct are on the wire in one version, and how few bytes they can take."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from ottla.protocol.field import FIXED_FORMATS, Field, parse_versions
from ottla.protocol.message import Message, Struct

FIXED_SIZES = {name: struct.calcsize(">" + format_) for name, format_ in FIXED_FORMATS.items()}


class Layout(NamedTuple):
    untagged: list[Field[Any]]
    tagged: list[Field[Any]]
    absent: list[Field[Any]]


def layout_of(struct_class: type[Struct], version: int) -> Layout:
    layout = Layout([], [], [])
    for field in struct_class.FIELDS:
        if version not in parse_versions(field.versions):
            layout.absent.append(field)
        elif field.tag is not None:
            layout.tagged.append(field)
        else:
            layout.untagged.append(field)
    layout.tagged.sort(key=lambda field: field.tag or 0)
    return layout


def equivalent_version(message_class: type[Message], version: int) -> int:
    """The lowest version with the same layout: most versions change what a message means, not how it looks."""
    points = [message_class.VERSIONS.start, *_boundaries(message_class.FLEXIBLE)]
    pending: list[type[Struct]] = [message_class]
    while pending:
        for field in pending.pop().FIELDS:
            points += _boundaries(parse_versions(field.versions)) + _boundaries(parse_versions(field.nullable))
            if field.element is not None and not isinstance(field.element, Field):
                pending.append(field.element)
    return max(point for point in points if point <= version)


def _boundaries(versions: range) -> list[int]:
    return [versions.start, versions.stop]


def is_nullable(field: Field[Any], version: int) -> bool:
    return version in parse_versions(field.nullable)


def struct_size_min(struct_class: type[Struct], version: int, flexible: bool) -> int:
    """The fewest bytes a struct takes: it bounds how many of them the rest of a buffer can hold."""
    untagged = layout_of(struct_class, version).untagged
    return sum(field_size_min(field, version, flexible) for field in untagged) + flexible


def field_size_min(field: Field[Any], version: int, flexible: bool) -> int:
    if field.type in FIXED_SIZES:
        return FIXED_SIZES[field.type]
    if field.type == "struct":
        return 1 if is_nullable(field, version) else struct_size_min(field.element, version, flexible)
    if flexible:
        return 1
    return 2 if field.type == "string" else 4


def element_size_min(field: Field[Any], version: int, flexible: bool) -> int:
    """Of an array's elements; never 0, so that a count is always bounded by the bytes that are left."""
    if isinstance(field.element, Field):
        return field_size_min(field.element, version, flexible)
    return max(1, struct_size_min(field.element, version, flexible))
