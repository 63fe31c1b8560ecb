"""Which fetcher keeps which partition: one per leader broker and number, `num.replica.fetchers` numbers each."""

import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ottla.clients.fetch_session_handler import FetchKey
from ottla.replication.fetcher import FetcherDependencies, ReplicaFetcher
from ottla.replication.followed_partition import FollowedPartition
from ottla.replication.partition import Partition


class FetcherId(NamedTuple):
    leader_id: int
    number: int


class FetcherManager:
    """Implements `replica_manager.Fetchers`."""

    def __init__(self, dependencies: FetcherDependencies, fetchers_per_leader: Callable[[], int]) -> None:
        self._dependencies = dependencies
        self._fetchers_per_leader = fetchers_per_leader
        self._fetchers: dict[FetcherId, ReplicaFetcher] = {}
        self._placed: dict[Partition, FetcherId] = {}

    def follow(self, partition: Partition) -> None:
        if partition.leader_id < 0:
            self.leave(partition)
            return
        fetcher_id = self._fetcher_id(partition)
        if self._placed.get(partition) != fetcher_id:
            self.leave(partition)
        fetcher = self._fetchers.get(fetcher_id)
        if fetcher is None:
            fetcher = self._fetchers[fetcher_id] = ReplicaFetcher(*fetcher_id, self._dependencies)
        self._placed[partition] = fetcher_id
        fetcher.follow(partition)

    def leave(self, partition: Partition) -> None:
        fetcher_id = self._placed.pop(partition, None)
        if fetcher_id is None:
            return
        fetcher = self._fetchers[fetcher_id]
        fetcher.leave(FetchKey(partition.topic_id, partition.topic_partition.partition))
        if not fetcher.followed:
            fetcher.stop()
            del self._fetchers[fetcher_id]

    def redistribute(self) -> None:
        """`num.replica.fetchers` has changed."""
        for partition in tuple(self._placed):
            self.follow(partition)

    def stop(self) -> None:
        for fetcher in self._fetchers.values():
            fetcher.stop()
        self._fetchers.clear()
        self._placed.clear()

    def _fetcher_id(self, partition: Partition) -> FetcherId:
        name = str(partition.topic_partition).encode()
        return FetcherId(partition.leader_id, zlib.crc32(name) % max(1, self._fetchers_per_leader()))

    # For metrics

    def __len__(self) -> int:
        return len(self._fetchers)

    def followed(self) -> Iterator[FollowedPartition]:
        for fetcher in self._fetchers.values():
            yield from fetcher.followed.values()

    def named(self) -> Iterator[tuple[str, FollowedPartition]]:
        """With the name of their fetcher."""
        for fetcher in self._fetchers.values():
            for followed in fetcher.followed.values():
                yield fetcher.name, followed

    def max_lag(self) -> int:
        return max((followed.lag for followed in self.followed()), default=0)
