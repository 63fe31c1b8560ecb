"""What the group coordinator counts."""

from collections.abc import Callable, Iterable

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.states import GroupState
from ottla.observability.metrics import Metrics

_GROUPS = "kafka_coordinator_group_groupmetadatamanager_num"
_COORDINATOR = "kafka_server_groupcoordinatormetrics_"


class CoordinatorMetrics:
    """Groups are counted when somebody looks; `groups` gives those that are there then."""

    def __init__(self, metrics: Metrics, groups: Callable[[], Iterable[Group]]) -> None:
        metrics.gauge(f"{_GROUPS}groups", function=lambda: sum(1 for _ in groups()))
        metrics.gauge(f"{_GROUPS}offsets", function=lambda: sum(len(group.offsets.committed) for group in groups()))
        for state in GroupState:
            metrics.gauge(f"{_GROUPS}groups{state.value.lower()}", function=_counter_of(state, groups))
        self.commits = metrics.counter(f"{_COORDINATOR}offset_commit_count")
        self.expirations = metrics.counter(f"{_COORDINATOR}offset_expiration_count")
        self.deletions = metrics.counter(f"{_COORDINATOR}offset_deletion_count")
        self.completed_rebalances = metrics.counter(f"{_COORDINATOR}group_completed_rebalance_count")
        self._load_time_max = metrics.gauge(f"{_COORDINATOR}partition_load_time_max")

    def partition_loaded(self, milliseconds: float) -> None:
        self._load_time_max.value = max(self._load_time_max.value, milliseconds)


def _counter_of(state: GroupState, groups: Callable[[], Iterable[Group]]) -> Callable[[], float]:
    return lambda: sum(group.state is state for group in groups())
