"""The options of a Spark job: names in any case, values as text; `kafka.*` is the client's configuration.

As with Spark's own connector, a `kafka.` key that the client does not know is passed over with a warning (Java's
clients do that), and an option without the prefix that nobody knows is ignored.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ottla.clients.addresses import Address
from ottla.clients.configuration import ClientConfig
from ottla.clients.connection import ConnectionSettings
from ottla.clients.settings import bootstrap_of, connection_settings
from ottla.config.definition import ConfigKey
from ottla.config.keys import consumer_keys

logger = logging.getLogger(__name__)

KAFKA_PREFIX = "kafka."
INCLUDE_HEADERS = "includeHeaders"
CLIENT_ID = "ottla-spark"
_TRUE, _FALSE = "true", "false"


class JobOptions(Mapping[str, str]):
    """Options by name, whatever the case of the letters."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = dict(given)
        self._by_lower_name = {name.lower(): value for name, value in given.items()}

    def __getitem__(self, name: str) -> str:
        return self._by_lower_name[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_lower_name)

    def __len__(self) -> int:
        return len(self._by_lower_name)

    def boolean(self, name: str, default: bool) -> bool:
        text = self.get(name)
        if text is None:
            return default
        if text.strip().lower() not in (_TRUE, _FALSE):
            raise ValueError(f'For input string: "{text}"')  # what Spark says
        return text.strip().lower() == _TRUE

    def integer(self, name: str) -> int | None:
        text = self.get(name)
        if text is None:
            return None
        try:
            return int(text.strip())
        except ValueError:
            raise ValueError(f'For input string: "{text}"') from None

    def kafka_settings(self) -> dict[str, str]:
        """The `kafka.*` options without their prefix. Kafka's own keys are all lower case."""
        return {
            name[len(KAFKA_PREFIX) :]: value
            for name, value in self._by_lower_name.items()
            if name.startswith(KAFKA_PREFIX)
        }


@dataclass(frozen=True)
class ClientOptions:
    """How to reach the cluster, as plain text that can be sent to tasks: Kafka's consumer configuration."""

    settings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "ClientOptions":
        """With the keys that are known; the others are warned of."""
        return cls(known_settings(settings, consumer_keys()))

    def __getstate__(self) -> dict[str, object]:
        """The text alone: what was made of it is made again where it arrives."""
        return {"settings": dict(self.settings)}

    @cached_property
    def config(self) -> ClientConfig:
        return ClientConfig("consumer", consumer_keys(), dict(self.settings))

    @property
    def bootstrap(self) -> tuple[Address, ...]:
        return bootstrap_of(self.config, None)

    @property
    def connection(self) -> ConnectionSettings:
        return connection_settings(self.config, self.settings.get("client.id", CLIENT_ID))

    @property
    def read_committed(self) -> bool:
        return self.config.string("isolation.level") == "read_committed"


def known_settings(settings: Mapping[str, str], keys: Mapping[str, ConfigKey]) -> dict[str, str]:
    """The settings that a client knows; the others are warned of."""
    unknown = sorted(set(settings) - set(keys))
    if unknown:
        logger.warning("These configurations '%s' were supplied but are not known.", unknown)
    return {name: value for name, value in settings.items() if name in keys}
