"""Ottla: Kafka's event streaming, from `pip install`. docs/ARCHITECTURE.md shows the way that a record takes.

    ottla.Producer, ottla.Consumer, ottla.Admin    clients for programs with threads (docs/clients.md)
    ottla.aio                                      the same for asyncio
    ottla.TopicPartition, ottla.NewTopic, ...      what they take and give

They are imported when they are first used: `import ottla` alone stays light. The packages, top to bottom:

    cli/            the `ottla` command and Kafka's tools
    testing/        brokers and simulated parts for test suites
    spark/          the data pipeline on Spark
    broker/         wires the parts of one broker, starts and stops them
    server/         listeners, and the stages that every request goes through
    handlers/       requests to responses, one file per family of APIs
    coordinators/   groups as state machines on internal topics
    controller/     who leads what: elections, topics, replicas
    replication/    partitions: leader epoch, ISR, high watermark, who waits on them
    storage/        logs: segments, indexes, recovery, retention, the cleaner
    coordination/   ZooKeeper: paths, payloads, sessions, the embedded server
    clients/        connections, producer, consumer, admin
    aio             the clients for asyncio, by name
    metadata/       the cluster as one immutable image
    transport/      connections on non-blocking sockets, frames
    records/        the record batch, codecs, the compiled record kernels
    protocol/       messages, declared once for all versions, and their codec
    disk/           the only package that touches log files
    observability/  metrics and logs
    config/         every configuration key
    clock/          time as a parameter
    errors/         the tree of exceptions, with Kafka's codes
    model           topic partitions, ids and other words that every package shares
"""

from importlib import import_module

TYPE_CHECKING = False  # as `typing` has it, whose import would cost more than all of this; mypy knows the name
if TYPE_CHECKING:
    from ottla.clients.admin.admin import Admin
    from ottla.clients.admin.types import ConfigResource, NewTopic
    from ottla.clients.consumer.consumer import Consumer
    from ottla.clients.consumer.record import ConsumerRecord
    from ottla.clients.group_offsets import OffsetAndMetadata
    from ottla.clients.offset_lookup import OffsetSpec
    from ottla.clients.producer.metadata import RecordMetadata
    from ottla.clients.producer.producer import Producer
    from ottla.model import TopicPartition

__version__ = "0.1.0"

_LAZY = {
    "Admin": "ottla.clients.admin.admin",
    "ConfigResource": "ottla.clients.admin.types",
    "Consumer": "ottla.clients.consumer.consumer",
    "ConsumerRecord": "ottla.clients.consumer.record",
    "NewTopic": "ottla.clients.admin.types",
    "OffsetAndMetadata": "ottla.clients.group_offsets",
    "OffsetSpec": "ottla.clients.offset_lookup",
    "Producer": "ottla.clients.producer.producer",
    "RecordMetadata": "ottla.clients.producer.metadata",
    "TopicPartition": "ottla.model",
}

__all__ = [
    "Admin",
    "ConfigResource",
    "Consumer",
    "ConsumerRecord",
    "NewTopic",
    "OffsetAndMetadata",
    "OffsetSpec",
    "Producer",
    "RecordMetadata",
    "TopicPartition",
    "__version__",
]


def __getattr__(name: str) -> object:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'ottla' has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
