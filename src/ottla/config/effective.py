"""Computes what holds from what was set: old names, coarser units and defaults resolved. Pure functions over dicts."""

from collections.abc import Mapping
from functools import cache

from ottla.config import listeners as endpoints
from ottla.config.definition import ConfigKey
from ottla.config.keys import broker_keys
from ottla.config.synonyms import FINER_FORMS, OLD_NAMES, base_key
from ottla.config.validators import check_value
from ottla.config.values import Value, parse_value


def parse_checked(key: ConfigKey, text: str | None, name: str | None = None) -> Value:
    """The value of a text for a key; ConfigError when it has the wrong type or is out of bounds."""
    value = parse_value(name or key.name, key.type, text)
    if text is not None:
        check_value(name or key.name, key.valid, value)
    return value


def default_value(key: ConfigKey) -> Value:
    return None if key.is_required else parse_value(key.name, key.type, key.default)


@cache
def _default_values() -> Mapping[str, Value]:
    return {name: default_value(key) for name, key in broker_keys().items()}


def compute(texts: Mapping[str, str]) -> dict[str, Value]:
    """Every broker key with the value that holds, and every `listener.name.*` key that was set."""
    values = dict(_default_values())
    given = {name for name in texts if base_key(name) in broker_keys()}
    for name in given:
        values[name] = parse_checked(broker_keys()[base_key(name)], texts[name], name)
    _apply_old_names(values, given)
    _apply_units(values)
    _apply_old_listeners(values, given)
    if values["num.replica.alter.log.dirs.threads"] is None:
        values["num.replica.alter.log.dirs.threads"] = str(values["log.dirs"]).count(",") + 1
    return values


def _apply_old_names(values: dict[str, Value], given: set[str]) -> None:
    for old, present in OLD_NAMES.items():
        if old in given and present not in given:
            values[present] = values[old]


def _apply_units(values: dict[str, Value]) -> None:
    for fine, coarser in FINER_FORMS.items():
        candidates = [(values[fine], 1), *((values[key], unit) for key, unit in coarser)]
        value, unit = next(pair for pair in candidates if pair[0] is not None)
        assert isinstance(value, int)
        values[fine] = value * unit if value >= 0 else -1


def _apply_old_listeners(values: dict[str, Value], given: set[str]) -> None:
    if "listeners" not in given and given & {"host.name", "port"}:
        values["listeners"] = endpoints.old_listener(_text(values["host.name"]), _number(values["port"]))
    if "advertised.listeners" not in given and given & {"advertised.host.name", "advertised.port"}:
        host = _text(values["advertised.host.name"]) or _text(values["host.name"])
        port = values["advertised.port"] if values["advertised.port"] is not None else values["port"]
        values["advertised.listeners"] = endpoints.old_listener(host, _number(port))


def listeners(values: Mapping[str, Value]) -> tuple[endpoints.Endpoint, ...]:
    protocols = endpoints.parse_protocol_map(_text(values["listener.security.protocol.map"]) or "")
    parsed = endpoints.parse_endpoints("listeners", _text(values["listeners"]) or "", protocols)
    endpoints.check_bindable(parsed)
    return parsed


def advertised_listeners(values: Mapping[str, Value]) -> tuple[endpoints.Endpoint, ...]:
    bound = listeners(values)
    text = _text(values["advertised.listeners"])
    if not text:
        return bound
    protocols = endpoints.parse_protocol_map(_text(values["listener.security.protocol.map"]) or "")
    advertised = endpoints.parse_endpoints("advertised.listeners", text, protocols)
    endpoints.check_advertised(advertised, bound)
    return advertised


def inter_broker_listener_name(values: Mapping[str, Value], *, protocol_is_set: bool) -> str:
    protocol = _text(values["security.inter.broker.protocol"]) if protocol_is_set else None
    return endpoints.inter_broker_listener(listeners(values), _text(values["inter.broker.listener.name"]), protocol)


def _text(value: Value) -> str | None:
    assert value is None or isinstance(value, str)
    return value


def _number(value: Value) -> int:
    assert isinstance(value, int)
    return value
