"""Configuration: every key of Kafka 3.9, of the 0.8.2 manual and of our own, and the values that hold.

| module | what it holds |
|---|---|
| `tables/`, `definition`, `keys` | the keys: type, default, valid values, meaning, status; parsed on first use |
| `values`, `validators` | text to typed value, and which values a key takes |
| `properties` | `server.properties` files and `key=value` overrides |
| `synonyms`, `effective`, `rules` | keys that stand for each other; what holds; what must hold between keys |
| `listeners` | endpoints |
| `broker_config`, `topic_config` | the two objects that the rest of the broker reads |
| `dynamic`, `describe`, `sources` | changes while running; DescribeConfigs' view with sources and synonyms |
| `document` | writes docs/configuration.md |

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
