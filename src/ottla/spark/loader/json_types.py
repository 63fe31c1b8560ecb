"""What column a JSON value needs, and what becomes of a column when another value comes. Pure.

    value             column               grows to
    true, false       boolean
    1                 long                 double, when 1.5 comes. A given int grows to long first
    1.5               double
    "x"               string               (a given timestamp or date takes strings too)
    {...}             struct               the same with more fields
    [...]             array of these       the array of what its elements grow to
    null, [], {}      nothing yet

Whatever else comes to a column does not fit: `Misfit` says why, and the record is a bad one. The first value decides,
so that one stray record never turns a column of numbers into text.
"""

from typing import Any

import pyarrow as pa

FIELDS_MAX = 1000
_NAME_FORBIDDEN = set(" ,;{}()\n\t=")
_INT32_MAX, _INT64_MAX = 2**31 - 1, 2**63 - 1
NULL = pa.null()


class Misfit(Exception):
    """A value that does not go into its column."""


def grow(kind: pa.DataType, value: Any, path: str, *, may_widen: bool = True) -> pa.DataType:
    """The type that takes this value and all that `kind` takes. The same object where nothing changes."""
    if value is None:
        return kind
    if isinstance(value, dict):
        return _grow_struct(kind, value, path, may_widen)
    if isinstance(value, list):
        return _grow_list(kind, value, path, may_widen)
    return _grow_scalar(kind, value, path, may_widen)


def shape(value: Any) -> Any:
    """What of a value decides how columns grow, to be remembered: two values of one shape make the same difference."""
    if isinstance(value, dict):
        return tuple((name, shape(one)) for name, one in value.items())
    if isinstance(value, list):
        return frozenset(map(shape, value))
    if type(value) is int:
        return "int" if -_INT32_MAX - 1 <= value <= _INT32_MAX else "long" if abs(value) <= _INT64_MAX else value
    return type(value)


def _grow_scalar(kind: pa.DataType, value: Any, path: str, may_widen: bool) -> pa.DataType:
    found = _scalar_type(value, path)
    if kind in (NULL, found):
        return found
    if found == pa.string() and (pa.types.is_timestamp(kind) or pa.types.is_date(kind)):
        return kind
    if pa.types.is_floating(kind) and found in (pa.int64(), pa.float64()):
        return kind
    if kind == pa.int32() and found == pa.int64() and -_INT32_MAX - 1 <= value <= _INT32_MAX:
        return kind
    if pa.types.is_integer(kind) and found in (pa.int64(), pa.float64()):
        if may_widen:
            return found
        raise Misfit(f"{path} is {kind} in this table, and {value!r} does not fit")
    raise Misfit(f"{path} is {_name(kind)}, and this is {_name(found)}")


def _scalar_type(value: Any, path: str) -> pa.DataType:
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int):
        if not -_INT64_MAX - 1 <= value <= _INT64_MAX:
            raise Misfit(f"{path}: {str(value)[:40]} does not fit into 64 bits")
        return pa.int64()
    return pa.float64() if isinstance(value, float) else pa.string()


def _grow_struct(kind: pa.DataType, value: dict[str, Any], path: str, may_widen: bool) -> pa.DataType:
    if kind != NULL and not pa.types.is_struct(kind):
        raise Misfit(f"{path} is {_name(kind)}, and this is an object")
    before = [] if kind == NULL else [kind.field(number) for number in range(kind.num_fields)]
    after = grow_fields(before, value, f"{path}.", may_widen=may_widen)
    return kind if after is before or not after else pa.struct(after)


def _grow_list(kind: pa.DataType, value: list[Any], path: str, may_widen: bool) -> pa.DataType:
    if kind != NULL and not pa.types.is_list(kind):
        raise Misfit(f"{path} is {_name(kind)}, and this is an array")
    before = element = NULL if kind == NULL else kind.value_type
    for one in value:
        element = grow(element, one, f"{path}[]", may_widen=may_widen)
    return kind if element is before or element == before else pa.list_(pa.field("element", element))


def grow_fields(
    fields: list[pa.Field], record: dict[str, Any], prefix: str = "", *, may_widen: bool = True,
    pinned: frozenset[str] = frozenset(),
) -> list[pa.Field]:  # fmt: skip
    """Fields that take this record. The same list where nothing changes; `pinned` columns may not be widened."""
    position = {field.name: number for number, field in enumerate(fields)}
    changed: list[pa.Field] | None = None
    for name, value in record.items():
        number = position.get(name)
        before = NULL if number is None else fields[number].type
        after = grow(before, value, f"{prefix}{name}", may_widen=may_widen and name not in pinned)
        if after is before or after == before:
            continue
        changed = list(fields) if changed is None else changed
        if number is None:
            _check_name(name, f"{prefix}{name}", changed)
            changed.append(pa.field(name, after))
        else:
            changed[number] = pa.field(name, after)
    return fields if changed is None else changed


def _check_name(name: str, path: str, fields: list[pa.Field]) -> None:
    if not name or _NAME_FORBIDDEN & set(name):
        raise Misfit(f"{path!r} is no name that a column can have")
    if name.lower() in {field.name.lower() for field in fields}:
        raise Misfit(f"{path} differs from another column only in the case of its letters")
    if len(fields) >= FIELDS_MAX:
        raise Misfit(f"{path} would be column {FIELDS_MAX + 1}")


def merge_fields(first: list[pa.Field], second: list[pa.Field]) -> list[pa.Field]:
    """Fields that take what both take; where they contradict each other, the first is right."""
    merged = {field.name: field for field in first}
    known = {name.lower(): name for name in merged}
    for field in second:
        name = known.get(field.name.lower())
        if name is None:
            merged[field.name] = field
            known[field.name.lower()] = field.name
        elif name == field.name:
            merged[name] = pa.field(name, merge_types(merged[name].type, field.type))
    return list(merged.values())


def merge_types(first: pa.DataType, second: pa.DataType) -> pa.DataType:
    if first == second or second == NULL:
        return first
    if first == NULL:
        return second
    if pa.types.is_struct(first) and pa.types.is_struct(second):
        return pa.struct(merge_fields(list(first.fields), list(second.fields)))
    if pa.types.is_list(first) and pa.types.is_list(second):
        return pa.list_(pa.field("element", merge_types(first.value_type, second.value_type)))
    order = [pa.int32(), pa.int64(), pa.float64()]
    if first in order and second in order:
        return max(first, second, key=order.index)
    return first


def _name(kind: pa.DataType) -> str:
    if pa.types.is_struct(kind):
        return "an object"
    if pa.types.is_list(kind):
        return "an array"
    return str(kind)
