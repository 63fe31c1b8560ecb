"""Answers as plain values that are the same on every run: what a broker chooses by itself is named, not shown.

Lists of structs are sorted: Kafka answers in the order of its hash maps.
"""

import json
import re
from typing import Any
from uuid import UUID

from ottla.protocol.message import Struct

# Fields whose value is the broker's own; they are compared by whether they are set.
CHOSEN = {
    "cluster_id", "host", "port", "log_dir", "total_bytes", "usable_bytes", "producer_id", "last_timestamp", "topic_id",
    "throttle_time_ms",
}  # fmt: skip
UNSET = (None, "", -1, 0, UUID(int=0))
MEMBER_SUFFIX = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return {field.name: _field(field.name, getattr(value, field.name)) for field in value.FIELDS}
    if isinstance(value, list):
        items = [plain(item) for item in value]
        return sorted(items, key=json.dumps) if value and isinstance(value[0], Struct) else items
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, UUID):
        return str(value)
    return MEMBER_SUFFIX.sub("-UUID", value) if isinstance(value, str) else value


def _field(name: str, value: Any) -> Any:
    if name in CHOSEN:
        return "unset" if value in UNSET else "chosen"
    return plain(value)
