"""One key of the configuration, and how the text tables in `tables/` become such keys."""

from collections.abc import Mapping
from typing import NamedTuple

HONOURED = "honoured"
ACCEPTED = "accepted"
MAPPED = "mapped"

_MAPPED_TO = "mapped to "
_REASON = ": "


class ConfigKey(NamedTuple):
    """`default` is text as in a properties file; None is no value. `maps_to` and `reason` explain the status."""

    name: str
    type: str
    default: str | None
    valid: str
    importance: str
    update_mode: str
    status: str
    maps_to: str | None
    doc: str
    broker_key: str | None
    reason: str | None

    @property
    def is_dynamic(self) -> bool:
        return self.update_mode == "dynamic"

    @property
    def is_required(self) -> bool:
        return self.default == "(required)"

    @property
    def is_sensitive(self) -> bool:
        return self.type == "PASSWORD"


def parse_tables(*tables: str) -> dict[str, ConfigKey]:
    """The keys of some tables by name. A name that comes twice is a mistake in the tables."""
    keys: dict[str, ConfigKey] = {}
    for table in tables:
        for key in map(_parse_row, table.strip().splitlines()):
            assert key.name not in keys, f"{key.name} stands in two tables"
            keys[key.name] = key
    return keys


def _parse_row(row: str) -> ConfigKey:
    name, type_, default, valid, importance, update_mode, said, *broker_key, doc = row.split(" | ")
    status, _, reason = said.partition(_REASON)
    maps_to = status.removeprefix(_MAPPED_TO) if status.startswith(_MAPPED_TO) else None
    return ConfigKey(
        name,
        type_,
        None if default == "null" else default,
        valid,
        importance,
        update_mode,
        MAPPED if maps_to else status,
        maps_to,
        doc,
        broker_key[0] if broker_key else None,
        reason or None,
    )


def nearest(name: str, keys: Mapping[str, ConfigKey]) -> str | None:
    """The known name that an unknown one was probably meant to be."""
    from difflib import get_close_matches  # 6 ms of start-up that only a mistake has to pay

    matches = get_close_matches(name, keys, n=1, cutoff=0.75)
    return matches[0] if matches else None
