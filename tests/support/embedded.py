"""The inside of a broker that runs in this process: its parts, the log of a partition, its keys altered."""

from ottla.broker.broker import Broker
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from ottla.storage.log.partition_log import PartitionLog
from ottla.testing import EmbeddedBroker
from ottla.testing.running_broker import ThreadBroker
from support.raw_kafka import RawKafka

BROKER_RESOURCE = 4


def inside(broker: EmbeddedBroker) -> Broker:
    running = broker.brokers[0]
    assert isinstance(running, ThreadBroker)
    assert running.broker is not None
    return running.broker


def log_of(broker: EmbeddedBroker, topic: str, partition: int = 0) -> PartitionLog:
    log = inside(broker).data.logs.registry.get(TopicPartition(topic, partition))
    assert log is not None
    return log


def alter(broker: EmbeddedBroker, name: str, key: str, value: str | None) -> None:
    """A key of the broker `name`, of all where it is empty. Answered when it holds here. None: removed."""
    config = AlterableConfig(name=key, config_operation=0 if value is not None else 1, value=value)
    resource = AlterConfigsResource(resource_type=BROKER_RESOURCE, resource_name=name, configs=[config])
    with RawKafka(broker.address) as raw:
        (answer,) = raw.ask(IncrementalAlterConfigsRequest(resources=[resource]), 1).responses
    assert answer.error_code == ErrorCode.NONE, answer.error_message
