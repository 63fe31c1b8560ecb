"""What the group coordinator counts."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ottla.coordinators.group.states import GroupState
from ottla.observability.instruments import Counter
from ottla.observability.metrics import Metrics

if TYPE_CHECKING:
    from ottla.coordinators.group.shard import GroupShard

GROUPS_IN_STATE = {
    GroupState.EMPTY: "kafka_coordinator_group_groupmetadatamanager_numgroupsempty",
    GroupState.PREPARING_REBALANCE: "kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance",
    GroupState.COMPLETING_REBALANCE: "kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance",
    GroupState.STABLE: "kafka_coordinator_group_groupmetadatamanager_numgroupsstable",
    GroupState.DEAD: "kafka_coordinator_group_groupmetadatamanager_numgroupsdead",
}


class GroupCounters:
    """What shards count."""

    def __init__(self, metrics: Metrics) -> None:
        self.commits = metrics.counter("kafka_server_groupcoordinatormetrics_offset_commit_count")
        self.expirations = metrics.counter("kafka_server_groupcoordinatormetrics_offset_expiration_count")
        self.deletions = metrics.counter("kafka_server_groupcoordinatormetrics_offset_deletion_count")
        self.completed_rebalances: Counter = metrics.counter(
            "kafka_server_groupcoordinatormetrics_group_completed_rebalance_count"
        )


class CoordinatorMetrics:
    """Groups are counted when somebody looks; `shards` gives those that are there then."""

    def __init__(self, metrics: Metrics, shards: "Callable[[], Sequence[GroupShard]]") -> None:
        self.counters = GroupCounters(metrics)
        metrics.gauge(
            "kafka_coordinator_group_groupmetadatamanager_numgroups",
            function=lambda: sum(len(shard) for shard in shards()),
        )
        metrics.gauge(
            "kafka_coordinator_group_groupmetadatamanager_numoffsets",
            function=lambda: sum(shard.offsets.committed_count() for shard in shards()),
        )
        for state, name in GROUPS_IN_STATE.items():
            metrics.gauge(name, function=partial(_groups_in_state, shards, state))
        self._load_time_max = metrics.gauge("kafka_server_groupcoordinatormetrics_partition_load_time_max")

    def partition_loaded(self, milliseconds: float) -> None:
        self._load_time_max.value = max(self._load_time_max.value, milliseconds)


def _groups_in_state(shards: "Callable[[], Sequence[GroupShard]]", state: GroupState) -> float:
    return sum(shard.count_in(state) for shard in shards())
