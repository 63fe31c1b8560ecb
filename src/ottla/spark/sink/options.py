"""The options of the sink: `topic`, and `kafka.*`, which is the producer's configuration by Kafka's own names."""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.clients.configuration import ClientConfig
from ottla.config.keys import producer_keys
from ottla.errors import ConfigError
from ottla.spark.options import JobOptions, known_settings

_BOOTSTRAP = "bootstrap.servers"
_SERIALIZED = {"key.serializer": "keys", "value.serializer": "value"}


class SinkOptions(NamedTuple):
    """What a task needs to make its producer. Pickled to the executors with the writer."""

    topic: str | None
    bootstrap_servers: str
    producer: dict[str, str]

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> "SinkOptions":
        """Checked here, on the driver, so that a wrong value fails the query before its first task."""
        job = JobOptions(options)
        topic = job.get("topic")
        producer = job.kafka_settings()
        _refuse_serializers(producer)
        bootstrap_servers = producer.pop(_BOOTSTRAP, "").strip()
        if not bootstrap_servers:
            raise ConfigError(f"Option 'kafka.{_BOOTSTRAP}' must be specified for configuring Kafka producer")
        producer = known_settings(producer, producer_keys())
        ClientConfig("producer", producer_keys(), producer)
        return cls(None if topic is None else topic.strip(), bootstrap_servers, producer)


def _refuse_serializers(producer: Mapping[str, str]) -> None:
    for key, what in _SERIALIZED.items():
        if key in producer:
            raise ConfigError(
                f"Kafka option '{key}' is not supported as {what} are serialized with ByteArraySerializer."
            )
