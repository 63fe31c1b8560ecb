"""How a set of dynamic configs changes by a request. Pure: configs and edits in, configs out, or Kafka's refusal.

AlterConfigs replaces the whole set. IncrementalAlterConfigs (KIP-339) has four operations; two of them are for lists
only, and start from the default when the key is not set.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from ottla.config.definition import ConfigKey
from ottla.errors.kafka import InvalidConfigError, InvalidRequestError


class Operation(IntEnum):
    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class Edit(NamedTuple):
    key: str
    operation: int
    value: str | None


def check_edits(edits: Sequence[Edit]) -> None:
    keys = [edit.key for edit in edits]
    if len(keys) != len(set(keys)):
        raise InvalidRequestError("Error due to duplicate config keys")
    null = [edit.key for edit in edits if edit.value is None and edit.operation != Operation.DELETE]
    if null:
        raise InvalidRequestError(f"Null value not supported for : {', '.join(null)}")


def replace_all(edits: Sequence[Edit]) -> dict[str, str]:
    return {edit.key: edit.value for edit in edits if edit.value is not None}


def apply_edits(before: Mapping[str, str], edits: Sequence[Edit], keys: Mapping[str, ConfigKey]) -> dict[str, str]:
    after = dict(before)
    for edit in edits:
        value = edit.value or ""
        match edit.operation:
            case Operation.SET:
                after[edit.key] = value
            case Operation.DELETE:
                after.pop(edit.key, None)
            case Operation.APPEND:
                listed = _list(before, edit.key, keys, "append")
                after[edit.key] = ",".join(dict.fromkeys([*listed, *_split(value)]))
            case Operation.SUBTRACT:
                listed = _list(before, edit.key, keys, "subtract")
                taken = frozenset(_split(value))
                after[edit.key] = ",".join(item for item in listed if item not in taken)
            case _:
                raise InvalidRequestError(f"Unknown operation {edit.operation} for config key: {edit.key}")
    return after


def _list(before: Mapping[str, str], name: str, keys: Mapping[str, ConfigKey], what: str) -> list[str]:
    key = keys.get(name)
    if key is None:
        raise InvalidConfigError(f"Unknown config name: {name}")
    if key.type != "LIST":
        raise InvalidConfigError(f"Config value {what} is not allowed for config key: {name}")
    return _split(before.get(name, key.default or ""))


def _split(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]
