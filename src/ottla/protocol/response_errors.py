"""The error codes that a response carries, wherever they stand in it: at the top, per topic, per partition.

For each response and version a function is compiled that counts them, on first use like the codec's own:

    def count(o, errors):
     errors[o.error_code].value += 1
     for o1 in o.responses:
      for o2 in o1.partition_responses:
       errors[o2.error_code].value += 1
"""

from collections.abc import Callable
from typing import Any

from ottla.protocol.field import Field, parse_versions
from ottla.protocol.message import Response, Struct
from ottla.protocol.source import Source, load_function

ErrorCount = Callable[[Any, Any], None]
"""Takes a response and a mapping that has a counter for every code."""

_ERROR_CODE = "error_code"


def compile_error_count(response_class: type[Response], version: int) -> ErrorCount:
    source = Source({})
    with source.block("def count(o, errors):"):
        source.line("pass")
        _count_struct(source, response_class, "o", version)
    return load_function(source.text(), f"<errors of {response_class.__name__} v{version}>", source.names, "count")


def _count_struct(source: Source, struct: type[Struct], name: str, version: int) -> None:
    for field in struct.FIELDS:
        if version not in parse_versions(field.versions):
            continue
        if field.name == _ERROR_CODE:
            source.line(f"errors[{name}.{_ERROR_CODE}].value += 1")
        elif field.type == "array" and _has_errors(field, version):
            inner = source.variable("o")
            or_none = " or ()" if version in parse_versions(field.nullable) else ""
            with source.block(f"for {inner} in {name}.{field.name}{or_none}:"):
                _count_struct(source, field.element, inner, version)


def _has_errors(field: Field[Any], version: int) -> bool:
    if isinstance(field.element, Field):
        return False
    return any(
        inner.name == _ERROR_CODE or (inner.type == "array" and _has_errors(inner, version))
        for inner in field.element.FIELDS
        if version in parse_versions(inner.versions)
    )
