"""Kafka's consumer configuration as typed keyword arguments, and a consumer's parts put together from it."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from ottla.clients.cluster import Cluster
from ottla.clients.configuration import ClientConfig
from ottla.clients.consumer.core import ConsumerCore
from ottla.clients.consumer.reader import Reader
from ottla.clients.consumer.settings import consumer_settings
from ottla.clients.interceptors import ConsumerInterceptors
from ottla.clients.metrics import ClientMetrics, MetricsSettings
from ottla.clients.outages import Outages
from ottla.clients.runtime import Runtime
from ottla.clients.serializers import find_deserializer
from ottla.clients.settings import bootstrap_of, client_id_of, connection_settings


class ConsumerConfig(TypedDict, total=False):
    """Kafka's consumer configuration; the other keys of the tables in docs are accepted too."""

    allow_auto_create_topics: bool
    auto_commit_interval_ms: int
    auto_offset_reset: str
    check_crcs: bool
    client_id: str
    client_rack: str
    connections_max_idle_ms: int
    default_api_timeout_ms: int
    enable_auto_commit: bool
    exclude_internal_topics: bool
    fetch_max_bytes: int
    fetch_max_wait_ms: int
    fetch_min_bytes: int
    group_id: str | None
    group_instance_id: str
    heartbeat_interval_ms: int
    interceptor_classes: Sequence[Any]
    isolation_level: str
    key_deserializer: Any
    value_deserializer: Any
    max_partition_fetch_bytes: int
    max_poll_interval_ms: int
    max_poll_records: int
    metadata_max_age_ms: int
    partition_assignment_strategy: Any
    request_timeout_ms: int
    retry_backoff_ms: int
    retry_backoff_max_ms: int
    reconnect_backoff_ms: int
    reconnect_backoff_max_ms: int
    session_timeout_ms: int
    socket_connection_setup_timeout_ms: int


class ConsumerParts(NamedTuple):
    core: ConsumerCore
    reader: Reader
    metrics: ClientMetrics


def make_parts(servers: str | list[str] | None, config: ClientConfig, runtime: Runtime) -> ConsumerParts:
    """The parts of one consumer. To be called on the loop that fetches."""
    client_id = client_id_of(config, "consumer")
    samples = MetricsSettings(config.int("metrics.num.samples"), config.int("metrics.sample.window.ms") / 1000)
    metrics = ClientMetrics("consumer", client_id, runtime.clock, samples)
    cluster = Cluster(
        bootstrap_of(config, servers),
        runtime,
        connection_settings(config, client_id),
        allow_auto_create=config.bool("allow.auto.create.topics"),
        observer_of=metrics.observer_of,
        outages=Outages(),
    )
    interceptors = ConsumerInterceptors(config["interceptor.classes"])
    reader = Reader(
        find_deserializer("key.deserializer", config["key.deserializer"]),
        find_deserializer("value.deserializer", config["value.deserializer"]),
        interceptors,
    )
    core = ConsumerCore(cluster, consumer_settings(config), metrics, on_commit=interceptors.on_commit)
    return ConsumerParts(core, reader, metrics)
