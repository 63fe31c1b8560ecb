"""The configuration as DescribeConfigs tells it: every key with its source and its synonyms, nearest first.

The synonyms of a key are the values that it would have, layer by layer, if the nearer ones were taken away: for
`log.retention.ms` also those of minutes and hours, for a topic's key also those of the broker's key it falls back to.
Values that must not be seen are None.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from ottla.config.broker_config import BrokerConfig
from ottla.config.definition import ConfigKey
from ottla.config.effective import parse_checked
from ottla.config.keys import broker_keys, topic_keys
from ottla.config.sources import ConfigSource, ConfigType
from ottla.config.synonyms import FINER_FORMS, base_key, described_with
from ottla.config.values import value_text

_SET_LAYERS = (ConfigSource.DYNAMIC_BROKER, ConfigSource.DYNAMIC_DEFAULT, ConfigSource.STATIC)


class Synonym(NamedTuple):
    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(NamedTuple):
    name: str
    value: str | None
    source: ConfigSource
    is_read_only: bool
    is_sensitive: bool
    type: ConfigType
    synonyms: tuple[Synonym, ...]
    documentation: str

    @property
    def is_default(self) -> bool:
        return self.source is ConfigSource.DEFAULT


def describe_broker(config: BrokerConfig, names: Collection[str] | None = None) -> Iterator[ConfigEntry]:
    """One broker's keys; unknown ones that it was given are told of, but not their values."""
    known = (entry.name for entry in config.describe())
    unknown = (name for name in config.originals if base_key(name) not in broker_keys())
    for name in (*known, *unknown):
        if names is None or name in names:
            yield _broker_entry(config, name, _synonyms(config, name))


def describe_cluster_default(config: BrokerConfig, names: Collection[str] | None = None) -> Iterator[ConfigEntry]:
    """Only what was set for all brokers."""
    for name in config.layer(ConfigSource.DYNAMIC_DEFAULT):
        if names is None or name in names:
            synonyms = [entry for entry in _synonyms(config, name) if entry.source is ConfigSource.DYNAMIC_DEFAULT]
            yield _broker_entry(config, name, synonyms)._replace(value=synonyms[0].value)


def describe_topic(
    config: BrokerConfig, overrides: Mapping[str, str], names: Collection[str] | None = None
) -> Iterator[ConfigEntry]:
    for name, key in topic_keys().items():
        if names is None or name in names:
            yield _topic_entry(config, key, overrides)


def _broker_entry(config: BrokerConfig, name: str, synonyms: list[Synonym]) -> ConfigEntry:
    key = broker_keys().get(base_key(name))
    return ConfigEntry(
        name,
        _broker_value(config, name, key),
        synonyms[0].source if synonyms else ConfigSource.DEFAULT,
        key is None or not key.is_dynamic,
        key is None or key.is_sensitive,
        ConfigType[key.type] if key else ConfigType.UNKNOWN,
        tuple(synonyms),
        key.doc if key else "",
    )


def _broker_value(config: BrokerConfig, name: str, key: ConfigKey | None) -> str | None:
    """The effective value; for a key that has coarser forms its own one, as Kafka shows it."""
    if key is None or key.is_sensitive:
        return None
    if name in FINER_FORMS and not config.is_set(name):
        return key.default
    return value_text(config.value(name))


def _topic_entry(config: BrokerConfig, key: ConfigKey, overrides: Mapping[str, str]) -> ConfigEntry:
    synonyms = _synonyms(config, key.broker_key) if key.broker_key else []
    if key.name in overrides:
        value = value_text(parse_checked(key, overrides[key.name]))
        synonyms = [Synonym(key.name, value, ConfigSource.DYNAMIC_TOPIC), *synonyms]
    else:
        value = value_text(config.topic_defaults[key.name])
    source = synonyms[0].source if synonyms else ConfigSource.DEFAULT
    return ConfigEntry(key.name, value, source, False, False, ConfigType[key.type], tuple(synonyms), key.doc)


def _synonyms(config: BrokerConfig, name: str) -> list[Synonym]:
    """Kafka begins the list at the key itself: a coarser form that alone is set is not told."""
    found = [
        Synonym(synonym, _shown(synonym, config.layer(source)[synonym]), source)
        for source in _SET_LAYERS
        for synonym in described_with(name)
        if synonym in config.layer(source)
    ]
    keys = broker_keys()
    for synonym in described_with(name):
        default = keys[synonym].default if synonym in keys else None
        if default is not None:
            found.append(Synonym(synonym, _shown(synonym, default), ConfigSource.DEFAULT))
    first = next((index for index, entry in enumerate(found) if entry.name == name), len(found))
    return found[first:]


def _shown(name: str, text: str) -> str | None:
    key = broker_keys().get(base_key(name))
    return None if key is None or key.is_sensitive else text
