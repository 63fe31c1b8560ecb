"""The options of the sink: `topic`, and `kafka.*`, which is the producer's configuration by Kafka's own names."""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.errors import ConfigError

_PREFIX = "kafka."
_BOOTSTRAP = "bootstrap.servers"
_SERIALIZED = {"key.serializer": "keys", "value.serializer": "value"}


class SinkOptions(NamedTuple):
    """What a task needs to make its producer. Pickled to the executors with the writer."""

    topic: str | None
    bootstrap_servers: str
    producer: dict[str, str]

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "SinkOptions":
        topic = options.get("topic")
        producer = {
            name.lower().removeprefix(_PREFIX): value
            for name, value in options.items()
            if name.lower().startswith(_PREFIX)
        }
        _refuse_serializers(producer)
        bootstrap_servers = producer.pop(_BOOTSTRAP, "").strip()
        if not bootstrap_servers:
            raise ConfigError(f"Option '{_PREFIX}{_BOOTSTRAP}' must be specified for configuring Kafka producer")
        return cls(None if topic is None else topic.strip(), bootstrap_servers, producer)


def _refuse_serializers(producer: Mapping[str, str]) -> None:
    for key, what in _SERIALIZED.items():
        if key in producer:
            raise ConfigError(
                f"Kafka option '{key}' is not supported as {what} are serialized with ByteArraySerializer."
            )
