"""What the group coordinator counts."""

from collections.abc import Callable, Iterable

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.states import GroupState
from ottla.observability.metrics import Metrics

GROUPS_IN_STATE = {
    GroupState.EMPTY: "kafka_coordinator_group_groupmetadatamanager_numgroupsempty",
    GroupState.PREPARING_REBALANCE: "kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance",
    GroupState.COMPLETING_REBALANCE: "kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance",
    GroupState.STABLE: "kafka_coordinator_group_groupmetadatamanager_numgroupsstable",
    GroupState.DEAD: "kafka_coordinator_group_groupmetadatamanager_numgroupsdead",
}


class CoordinatorMetrics:
    """Groups are counted when somebody looks; `groups` gives those that are there then."""

    def __init__(self, metrics: Metrics, groups: Callable[[], Iterable[Group]]) -> None:
        metrics.gauge(
            "kafka_coordinator_group_groupmetadatamanager_numgroups", function=lambda: sum(1 for _ in groups())
        )
        metrics.gauge(
            "kafka_coordinator_group_groupmetadatamanager_numoffsets",
            function=lambda: sum(len(group.offsets.committed) for group in groups()),
        )
        for state, name in GROUPS_IN_STATE.items():
            metrics.gauge(name, function=_counter_of(state, groups))
        self.commits = metrics.counter("kafka_server_groupcoordinatormetrics_offset_commit_count")
        self.expirations = metrics.counter("kafka_server_groupcoordinatormetrics_offset_expiration_count")
        self.deletions = metrics.counter("kafka_server_groupcoordinatormetrics_offset_deletion_count")
        self.completed_rebalances = metrics.counter(
            "kafka_server_groupcoordinatormetrics_group_completed_rebalance_count"
        )
        self._load_time_max = metrics.gauge("kafka_server_groupcoordinatormetrics_partition_load_time_max")

    def partition_loaded(self, milliseconds: float) -> None:
        self._load_time_max.value = max(self._load_time_max.value, milliseconds)


def _counter_of(state: GroupState, groups: Callable[[], Iterable[Group]]) -> Callable[[], float]:
    return lambda: sum(group.state is state for group in groups())
