"""Messages without what a broker draws or measures (ports, ids, sizes of disks), so that two runs are equal."""

import uuid
from typing import Any

from ottla.protocol.field import Field
from ottla.protocol.layout import layout_of
from ottla.protocol.message import Message, Struct

_FIXED: dict[str, Any] = {"port": 9092, "total_bytes": 1, "usable_bytes": 1, "log_dir": "/log", "cluster_id": "cluster"}
_DRAWN_STRINGS = frozenset({"member_id", "leader"})
_DRAWN_NUMBERS = frozenset({"session_id"})
_NO_UUID = uuid.UUID(int=0)


class Mask:
    """The same for all messages of a session: what was drawn has the number of its first appearance."""

    def __init__(self) -> None:
        self._seen: dict[Any, int] = {}

    def apply(self, message: Message, version: int) -> None:
        """Change the message in place."""
        self._struct(message, version)

    def _struct(self, struct: Struct, version: int) -> None:
        layout = layout_of(type(struct), version)
        for field in (*layout.untagged, *layout.tagged):
            value = getattr(struct, field.name)
            if field.type == "array" and value is not None and not isinstance(field.element, Field):
                for element in value:
                    self._struct(element, version)
            elif field.type == "struct" and value is not None:
                self._struct(value, version)
            elif (masked := self._scalar(field, value)) is not value:
                setattr(struct, field.name, masked)

    def _scalar(self, field: Field[Any], value: Any) -> Any:
        if field.name in _FIXED and value is not None:
            return _FIXED[field.name]
        if field.type == "uuid" and value != _NO_UUID and value.int >> 32:  # Small ones are the script's own.
            return uuid.UUID(int=self._number(value))
        if field.name in _DRAWN_STRINGS and isinstance(value, str) and "-" in value:
            return f"drawn-{self._number(value)}"
        if field.name in _DRAWN_NUMBERS and value > 0:
            return self._number(value)
        return value

    def _number(self, value: Any) -> int:
        return self._seen.setdefault(value, len(self._seen) + 1)
