"""The admin client, synchronous."""

from types import TracebackType
from typing import Self, Unpack

from ottla.clients.admin.async_admin import AdminConfig, AsyncAdmin
from ottla.clients.errors import ClientClosedError
from ottla.clients.loop_thread import LoopThread, blocking
from ottla.clients.open_clients import OpenClient


class Admin:
    """Looks after a cluster: topics, configs, groups, offsets, records, reassignments, leaders, log directories.

    Calls about several things give `Outcomes`: a mapping in which each has its result or its error::

        with ottla.Admin("localhost:9092") as admin:
            admin.create_topic("clicks", partitions=12)
            for name, topic in admin.describe_topics(["clicks"]).items():
                print(name, len(topic.partitions))

    Keyword arguments are Kafka's admin configuration (`default_api_timeout_ms=10_000`).
    """

    def __init__(self, bootstrap_servers: str | list[str] | None = None, **config: Unpack[AdminConfig]) -> None:
        async def make() -> AsyncAdmin:
            return AsyncAdmin(bootstrap_servers, **config)

        self._thread = LoopThread("ottla-admin")
        try:
            self._core = self._thread.run(make())
        except BaseException:
            self._thread.stop()
            raise
        self._open = OpenClient(self, self._thread.loop, self._core.close, on_ended=self._thread.stop)

    describe_cluster = blocking(AsyncAdmin.describe_cluster)
    list_topics = blocking(AsyncAdmin.list_topics)
    describe_topics = blocking(AsyncAdmin.describe_topics)
    create_topics = blocking(AsyncAdmin.create_topics)
    create_topic = blocking(AsyncAdmin.create_topic)
    delete_topics = blocking(AsyncAdmin.delete_topics)
    create_partitions = blocking(AsyncAdmin.create_partitions)
    describe_configs = blocking(AsyncAdmin.describe_configs)
    alter_configs = blocking(AsyncAdmin.alter_configs)
    list_groups = blocking(AsyncAdmin.list_groups)
    describe_groups = blocking(AsyncAdmin.describe_groups)
    delete_groups = blocking(AsyncAdmin.delete_groups)
    remove_members = blocking(AsyncAdmin.remove_members)
    list_group_offsets = blocking(AsyncAdmin.list_group_offsets)
    alter_group_offsets = blocking(AsyncAdmin.alter_group_offsets)
    delete_group_offsets = blocking(AsyncAdmin.delete_group_offsets)
    list_offsets = blocking(AsyncAdmin.list_offsets)
    delete_records = blocking(AsyncAdmin.delete_records)
    alter_partition_reassignments = blocking(AsyncAdmin.alter_partition_reassignments)
    list_partition_reassignments = blocking(AsyncAdmin.list_partition_reassignments)
    elect_leaders = blocking(AsyncAdmin.elect_leaders)
    describe_log_dirs = blocking(AsyncAdmin.describe_log_dirs)
    alter_replica_log_dirs = blocking(AsyncAdmin.alter_replica_log_dirs)
    describe_client_quotas = blocking(AsyncAdmin.describe_client_quotas)
    alter_client_quotas = blocking(AsyncAdmin.alter_client_quotas)

    def close(self) -> None:
        """Close the connections and end the client's thread. May be called twice."""
        if not self._thread.stopped:
            self._open.note_closed()
            self._thread.run(self._core.close())
            self._thread.stop()

    def __enter__(self) -> Self:
        if self._thread.stopped:
            raise ClientClosedError("the admin is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
