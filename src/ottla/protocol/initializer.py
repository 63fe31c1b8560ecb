"""The constructor of a message class, compiled on the first construction.

A constructor with one keyword per field is three times as fast as a loop over `**values`, and Python itself refuses
unknown keywords. A field that holds a struct has as default one instance that all messages share and that refuses to
be changed; only where that struct holds a list itself does every message get its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from ottla.protocol.field import EMPTY_LIST, Field

if TYPE_CHECKING:
    from ottla.protocol.message import Struct


def compile_initializer(struct_class: type[Struct]) -> Callable[..., None]:
    names: dict[str, Any] = {"EMPTY_LIST": EMPTY_LIST}
    parameters, body = [], ["    pass"]
    for field in struct_class.FIELDS:
        names[f"default_{field.name}"] = default = initial_value(field)
        parameters.append(f"{field.name}=default_{field.name}")
        body.append(f"    self.{field.name} = {_value_expression(field, default)}")
    signature = ", ".join(["self", "*", *parameters]) if parameters else "self"
    source = "\n".join([f"def __init__({signature}):", *body])
    exec(compile(source, f"<constructor of {struct_class.__name__}>", "exec"), names)
    initializer: Callable[..., None] = names["__init__"]
    return initializer


def initial_value(field: Field[Any]) -> Any:
    """The default of a field; a class where every message needs its own new instance."""
    if field.type != "struct" or field.default is None:
        return field.default
    return shared_default(field.element) if _is_shareable(field.element) else field.element


def _value_expression(field: Field[Any], default: Any) -> str:
    name = field.name
    if default is EMPTY_LIST:
        return f"[] if {name} is EMPTY_LIST else {name}"
    if default is field.element and default is not None:
        return f"{name}() if {name} is default_{name} else {name}"
    return name


def _is_shareable(struct_class: type[Struct]) -> bool:
    return all(
        field.default is not EMPTY_LIST and (field.type != "struct" or _is_shareable(field.element))
        for field in struct_class.FIELDS
    )


_shared_defaults: dict[type[Struct], Struct] = {}


def shared_default(struct_class: type[Struct]) -> Struct:
    """The instance of a struct with all defaults that stands wherever no other was given."""
    try:
        return _shared_defaults[struct_class]
    except KeyError:
        metaclass: Any = type(struct_class)
        frozen_class = metaclass(struct_class.__name__, (struct_class,), {"__setattr__": _refuse_to_change})
        instance: Struct = object.__new__(frozen_class)
        for field in struct_class.FIELDS:
            object.__setattr__(instance, field.name, initial_value(field))
        return _shared_defaults.setdefault(struct_class, instance)


def _refuse_to_change(self: Struct, name: str, value: object) -> NoReturn:
    raise AttributeError(f"this {type(self).__name__} is the default that messages share: assign a new one instead")
