"""The configuration of one broker: four layers, the nearest wins.

    DYNAMIC_BROKER    set for this broker while it runs
    DYNAMIC_DEFAULT   set for all brokers of the cluster while they run
    STATIC            the properties file and the command line
    DEFAULT           the tables

Values are read by Kafka's own key. A key that does not exist or has another type is a mistake in our code, so it is an
assertion; what an operator wrote is checked once, when a layer changes, and gives a ConfigError that says what is
allowed. Invariant: `_values` holds every key with its effective value, so that reading is one lookup.
"""

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from ottla.config import effective, rules
from ottla.config.definition import ACCEPTED, nearest
from ottla.config.keys import broker_keys, topic_keys
from ottla.config.listeners import Endpoint
from ottla.config.sources import ConfigSource
from ottla.config.synonyms import base_key
from ottla.config.topic_config import TopicConfig, build_topic_config
from ottla.config.values import HIDDEN, Value, value_text

Layers = Mapping[ConfigSource, Mapping[str, str]]
Subscriber = Callable[[frozenset[str]], None]

_INTEGERS = frozenset({"INT", "SHORT", "LONG"})
_STRINGS = frozenset({"STRING", "CLASS"})


class EffectiveKey(NamedTuple):
    """One line of the effective configuration, as it may be shown: passwords are hidden."""

    name: str
    text: str | None
    source: ConfigSource

    def __str__(self) -> str:
        """For the log at start: a star marks what somebody set."""
        mark = " " if self.source is ConfigSource.DEFAULT else "*"
        return f"{mark} {self.name} = {'null' if self.text is None else self.text}"


class BrokerConfig:
    __slots__ = ("__dict__", "_layers", "_subscribers", "_values")

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        self._subscribers: builtins.list[Subscriber] = []
        self._values = effective.compute(_merge(layers))
        rules.check(self)

    @classmethod
    def load(cls, properties: Mapping[str, str]) -> "BrokerConfig":
        """The configuration that a properties file gives. ConfigError when it cannot be.

        `warnings` then names unknown keys, `notes` the keys that are set and do nothing.
        """
        return cls(
            {ConfigSource.DYNAMIC_BROKER: {}, ConfigSource.DYNAMIC_DEFAULT: {}, ConfigSource.STATIC: dict(properties)}
        )

    @property
    def originals(self) -> Mapping[str, str]:
        """What the operator wrote, unknown keys included."""
        return self._layers[ConfigSource.STATIC]

    # -- values by key ------------------------------------------------------------------------------------------

    def int(self, key: str, listener: str | None = None) -> builtins.int:
        """A SHORT, INT or LONG that has a value; `log.retention.ms` and its like have theirs from minutes or hours."""
        value = self.optional_int(key, listener)
        assert value is not None, f"{key} has no value: use optional_int"
        return value

    def optional_int(self, key: str, listener: str | None = None) -> builtins.int | None:
        value = self._value(key, _INTEGERS, listener)
        assert value is None or isinstance(value, int)
        return value

    def bool(self, key: str, listener: str | None = None) -> builtins.bool:
        value = self._value(key, frozenset({"BOOLEAN"}), listener)
        assert isinstance(value, bool)
        return value

    def double(self, key: str) -> float:
        value = self._value(key, frozenset({"DOUBLE"}))
        assert isinstance(value, float)
        return value

    def string(self, key: str, listener: str | None = None) -> str | None:
        value = self._value(key, _STRINGS, listener)
        assert value is None or isinstance(value, str)
        return value

    def list(self, key: str, listener: str | None = None) -> builtins.list[str]:
        """A LIST; also a STRING that Kafka splits at commas, such as `log.dirs`. No value is the empty list."""
        value = self._value(key, frozenset({"LIST", "STRING"}), listener)
        if isinstance(value, str):
            return [part.strip() for part in value.split(",") if part.strip()]
        assert value is None or isinstance(value, list)
        return [] if value is None else builtins.list(value)

    def password(self, key: str, listener: str | None = None) -> str | None:
        value = self._value(key, frozenset({"PASSWORD"}), listener)
        assert value is None or isinstance(value, str)
        return value

    def _value(self, key: str, types: frozenset[str], listener: str | None = None) -> Value:
        definition = broker_keys().get(key)
        assert definition is not None, f"{key} is no broker key"
        assert definition.type in types, f"{key} is a {definition.type}"
        if listener is not None:
            own = f"listener.name.{listener.lower()}.{key}"
            if own in self._values:
                return self._values[own]
        return self._values[key]

    def value(self, key: str) -> Value:
        """The effective value of any key that is known or set for a listener, whatever its type."""
        return self._values[key]

    def is_set(self, key: str) -> builtins.bool:
        """Whether anybody set the key, at any layer."""
        return any(key in layer for layer in self._layers.values())

    def value_source(self, key: str) -> ConfigSource:
        for source, layer in self._layers.items():
            if key in layer:
                return source
        return ConfigSource.DEFAULT

    def layer(self, source: ConfigSource) -> Mapping[str, str]:
        """The texts that were set at one layer (not DEFAULT)."""
        return self._layers[source]

    # -- what several keys say together -------------------------------------------------------------------------

    @property
    def log_dirs(self) -> tuple[str, ...]:
        return tuple(self.list("log.dirs"))

    @cached_property
    def listeners(self) -> tuple[Endpoint, ...]:
        return effective.listeners(self._values)

    @cached_property
    def advertised_listeners(self) -> tuple[Endpoint, ...]:
        """As configured: where the host is empty or the port 0, the server knows better after it has bound."""
        return effective.advertised_listeners(self._values)

    @cached_property
    def inter_broker_listener_name(self) -> str:
        protocol = "security.inter.broker.protocol"
        return effective.inter_broker_listener_name(self._values, protocol_is_set=self.is_set(protocol))

    @cached_property
    def control_plane_listener_name(self) -> str | None:
        name = self.string("control.plane.listener.name")
        return None if name is None else name.upper()

    # -- topics -------------------------------------------------------------------------------------------------

    @cached_property
    def default_topic_config(self) -> TopicConfig:
        return build_topic_config(self.topic_defaults, {})

    def topic_config(self, overrides: Mapping[str, str]) -> TopicConfig:
        """What holds for a topic with these overrides. ConfigError when one cannot be."""
        if not overrides:
            return self.default_topic_config
        return build_topic_config(self.topic_defaults, overrides)

    @cached_property
    def topic_defaults(self) -> Mapping[str, Value]:
        """What the broker's keys give a topic, by topic key, before overrides."""
        values = {}
        for key in topic_keys().values():
            values[key.name] = self._values[key.broker_key] if key.broker_key else effective.default_value(key)
        return values

    # -- change while running -----------------------------------------------------------------------------------

    def with_dynamic(
        self, *, per_broker: Mapping[str, str] | None = None, cluster_default: Mapping[str, str] | None = None
    ) -> "BrokerConfig":
        """A copy with one or both dynamic layers replaced (None: as it was). ConfigError when it cannot be."""
        layers = dict(self._layers)
        if per_broker is not None:
            layers[ConfigSource.DYNAMIC_BROKER] = dict(per_broker)
        if cluster_default is not None:
            layers[ConfigSource.DYNAMIC_DEFAULT] = dict(cluster_default)
        return BrokerConfig(layers)

    def update_dynamic(
        self, *, per_broker: Mapping[str, str] | None = None, cluster_default: Mapping[str, str] | None = None
    ) -> frozenset[str]:
        """Become `with_dynamic` of the same arguments, tell the subscribers, and return what changed.

        On ConfigError nothing has changed. `ottla.config.dynamic` has the checks for a request to alter configs, and
        the lenient form for what is found in ZooKeeper.
        """
        update = self.with_dynamic(per_broker=per_broker, cluster_default=cluster_default)
        old, new = self._values, update._values
        self._layers, self._values = update._layers, new
        self.__dict__.clear()  # the cached properties
        changed = frozenset(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        if changed:
            for subscriber in tuple(self._subscribers):
                subscriber(changed)
        return changed

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call back with the keys whose effective value changed. Returns the function that ends it."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    # -- to be shown --------------------------------------------------------------------------------------------

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """One sentence per unknown key that the operator wrote."""
        return tuple(unknown_keys(self.originals))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """One sentence per key that the operator wrote and that does nothing."""
        return tuple(_keys_without_effect(self.originals))

    def describe(self) -> Iterator[EffectiveKey]:
        """Every key in alphabetical order, with its effective value."""
        for name in sorted(self._values):
            definition = broker_keys()[base_key(name)]
            text = value_text(self._values[name])
            if definition.is_sensitive and text is not None:
                text = HIDDEN
            yield EffectiveKey(name, text, self.value_source(name))


def _merge(layers: Layers) -> dict[str, str]:
    merged: dict[str, str] = {}
    for source in sorted(layers, reverse=True):
        merged.update(layers[source])
    return merged


def unknown_keys(properties: Iterable[str]) -> Iterator[str]:
    """One sentence per key that no broker knows."""
    for key in properties:
        if base_key(key) in broker_keys():
            continue
        near = nearest(key, broker_keys())
        yield f"unknown key {key}" + (f": did you mean {near}?" if near else "")


def _keys_without_effect(properties: Mapping[str, str]) -> Iterator[str]:
    for key in properties:
        definition = broker_keys().get(base_key(key))
        if definition is not None and definition.status == ACCEPTED:
            yield f"{key} has no effect: {definition.reason}"
