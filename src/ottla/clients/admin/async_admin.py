"""The admin client on asyncio: the calls of all parts over one cluster."""

from types import TracebackType
from typing import Self, TypedDict, Unpack

from ottla.clients.admin.calls import AdminCalls
from ottla.clients.admin.configs import ConfigCalls
from ottla.clients.admin.groups import GroupCalls
from ottla.clients.admin.partitions import PartitionCalls
from ottla.clients.admin.quotas import QuotaCalls
from ottla.clients.admin.topics import TopicCalls
from ottla.clients.cluster import Cluster
from ottla.clients.configuration import ClientConfig
from ottla.clients.outages import Outages
from ottla.clients.runtime import runtime_of_running_loop
from ottla.clients.settings import bootstrap_of, client_id_of, connection_settings
from ottla.config.keys import admin_keys


class AdminConfig(TypedDict, total=False):
    """Kafka's admin configuration; the other keys of the tables in docs are accepted too."""

    client_id: str
    default_api_timeout_ms: int
    request_timeout_ms: int
    retry_backoff_ms: int
    retry_backoff_max_ms: int
    reconnect_backoff_ms: int
    reconnect_backoff_max_ms: int
    connections_max_idle_ms: int
    metadata_max_age_ms: int
    socket_connection_setup_timeout_ms: int
    security_protocol: str


class AsyncAdmin(TopicCalls, ConfigCalls, GroupCalls, PartitionCalls, QuotaCalls):
    """Looks after a cluster, on asyncio: the calls of `ottla.Admin`, each to be awaited.

    Make it on the loop that uses it::

        async with ottla.aio.Admin("localhost:9092") as admin:
            await admin.create_topic("clicks", partitions=12)
    """

    def __init__(self, bootstrap_servers: str | list[str] | None = None, **config: Unpack[AdminConfig]) -> None:
        checked = ClientConfig("admin", admin_keys(), config)
        bootstrap = bootstrap_of(checked, bootstrap_servers)
        settings = connection_settings(checked, client_id_of(checked, "adminclient"))
        cluster = Cluster(bootstrap, runtime_of_running_loop(), settings, outages=Outages())
        AdminCalls.__init__(self, cluster, checked.int("default.api.timeout.ms"))

    async def close(self) -> None:
        """Close the connections. What is under way fails."""
        await self._cluster.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
