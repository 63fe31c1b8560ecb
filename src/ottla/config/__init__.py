"""Configuration: every key of Kafka 3.9, of the 0.8.2 manual and of our own, and the values that hold.

    tables/        the keys: type, default, valid values, meaning, status
    definition     one key, and how the tables become keys
    keys           every key by kind, parsed on first use
    values         text to typed value and back
    validators     which values a key takes
    properties     `server.properties` files and `key=value` overrides
    synonyms       keys that stand for each other
    effective      from what was set to what holds: old names, coarser units, defaults
    rules          what must hold between keys
    listeners      endpoints: where a broker listens, and what it tells clients
    sources        where a value comes from, with the codes of DescribeConfigs
    broker_config  the configuration of one broker
    topic_config   the configuration of one topic
    dynamic        which broker keys may change while the broker runs
    describe       the view of DescribeConfigs, with sources and synonyms
    document       writes docs/configuration.md

The defaults are Kafka 3.9's. The deviations: a broker listens on loopback unless told; no `zookeeper.connect` means
the embedded server; `log.dirs` is `./data/logs`; `queued.max.request.bytes` is 64 MB; internal topics get no more
replicas than there are live brokers; keys that are new are named `ottla.*`.
"""

from ottla.config.broker_config import BrokerConfig
from ottla.config.properties import parse_override, parse_properties, read_properties
from ottla.config.sources import ConfigSource
from ottla.config.topic_config import TopicConfig, validate_topic_config

__all__ = [
    "BrokerConfig",
    "ConfigSource",
    "TopicConfig",
    "parse_override",
    "parse_properties",
    "read_properties",
    "validate_topic_config",
]
