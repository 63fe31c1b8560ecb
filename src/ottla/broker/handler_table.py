"""Which APIs this broker serves, each by its handler file. What is not here is not advertised."""

import logging

from ottla.broker.control_plane import ControlPlane
from ottla.broker.data_plane import DataPlane
from ottla.broker.group_coordination import GroupCoordination
from ottla.clock import Clock
from ottla.config import BrokerConfig
from ottla.handlers.alter_partition import AlterPartitionHandlers
from ottla.handlers.api_versions import ApiVersionsHandlers
from ottla.handlers.cluster import ClusterHandlers
from ottla.handlers.configs import ConfigHandlers
from ottla.handlers.control import ControlHandlers
from ottla.handlers.controlled_shutdown import ControlledShutdownHandlers
from ottla.handlers.delete_records import DeleteRecordsHandlers
from ottla.handlers.elect_leaders import ElectLeadersHandlers
from ottla.handlers.fetch.handler import FetchHandlers
from ottla.handlers.leader_epochs import LeaderEpochHandlers
from ottla.handlers.list_offsets import ListOffsetsHandlers
from ottla.handlers.log_dirs import LogDirHandlers
from ottla.handlers.metadata import MetadataHandlers
from ottla.handlers.produce import ProduceHandlers
from ottla.handlers.producer_ids import ProducerIdHandlers
from ottla.handlers.producers import ProducersHandlers
from ottla.handlers.registry import HandlerTable
from ottla.handlers.topic_partitions import TopicPartitionsHandlers
from ottla.handlers.topics import TopicHandlers
from ottla.metadata.cache import MetadataCache
from ottla.observability.per_client_log import PerClientLog
from ottla.replication.replica_selector import replica_selector

logger = logging.getLogger(__name__)


def build_handler_table(
    config: BrokerConfig,
    clock: Clock,
    broker_id: int,
    metadata: MetadataCache,
    data: DataPlane,
    control: ControlPlane,
    groups: GroupCoordination,
) -> HandlerTable:
    table = HandlerTable()
    fetch = FetchHandlers(
        data.replicas,
        data.fetch_sessions,
        data.delivery,
        response_bytes_max=config.int("fetch.max.bytes"),
        selector=replica_selector(config.string("replica.selector.class"), metadata),
    )
    for handlers in (
        ProduceHandlers(data.replicas, clock),
        fetch,
        ListOffsetsHandlers(data.replicas, clock),
        LeaderEpochHandlers(data.replicas),
        DeleteRecordsHandlers(data.replicas),
        LogDirHandlers(data.logs, data.replicas),
        ProducersHandlers(data.replicas),
        ProducerIdHandlers(control.producer_ids, PerClientLog(logger, clock)),
        MetadataHandlers(metadata, control.creator, lambda: config.bool("auto.create.topics.enable")),
        TopicHandlers(control.controller, metadata, config),
        ConfigHandlers(control.configs, config, metadata, broker_id),
        ClusterHandlers(metadata),
        TopicPartitionsHandlers(metadata, lambda: config.int("max.request.partition.size.limit")),
        groups,
        ControlHandlers(control.state),
        AlterPartitionHandlers(control.controller),
        ControlledShutdownHandlers(control.controller),
        ElectLeadersHandlers(control.controller),
        ApiVersionsHandlers(table),
    ):
        handlers.register(table)
    return table
