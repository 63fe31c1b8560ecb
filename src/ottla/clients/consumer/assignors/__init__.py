"""Who gets which partitions of a classic group: pure computations, the same as Java's by name and by bytes.

    balance               the computation behind the sticky assignors
    base                  what an assignor is given and gives
    range_assignor        range
    round_robin_assignor  round robin
    sticky_assignor       sticky

range, roundrobin               by order alone
sticky, cooperative-sticky      balanced, and everybody keeps what they can
"""

from collections.abc import Sequence
from typing import Any

from ottla.clients.consumer.assignors.base import Assignment, Assignor, Subscription
from ottla.clients.consumer.assignors.range_assignor import RangeAssignor
from ottla.clients.consumer.assignors.round_robin_assignor import RoundRobinAssignor
from ottla.clients.consumer.assignors.sticky_assignor import CooperativeStickyAssignor, StickyAssignor
from ottla.errors import ConfigError

__all__ = ["Assignment", "Assignor", "Subscription", "find_assignors"]

_BY_NAME: dict[str, type[Any]] = {
    "range": RangeAssignor,
    "roundrobin": RoundRobinAssignor,
    "sticky": StickyAssignor,
    "cooperative-sticky": CooperativeStickyAssignor,
}


def find_assignors(given: Any) -> list[Assignor]:
    """The assignors of `partition.assignment.strategy`: by name, by Java's class name, or the objects themselves."""
    items: Sequence[Any] = given.split(",") if isinstance(given, str) else given
    if not items:
        raise ConfigError("partition.assignment.strategy is empty")
    return [_find(item) for item in items]


def _find(item: Any) -> Assignor:
    if not isinstance(item, str):
        assignor: Assignor = item() if isinstance(item, type) else item
        return assignor
    short = item.strip().rpartition(".")[2]
    for name, cls in _BY_NAME.items():
        if short in (name, cls.__name__):
            known: Assignor = cls()
            return known
    raise ConfigError(
        f"Invalid value {item} for configuration partition.assignment.strategy: one of {', '.join(_BY_NAME)}"
    )
