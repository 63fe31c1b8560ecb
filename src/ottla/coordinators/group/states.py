"""The states of a group, and every way in which it may move from one to another.

    EMPTY ──────────────► PREPARING_REBALANCE ──────► COMPLETING_REBALANCE ──────► STABLE
      ▲   someone joins     │   ▲   ▲    all joined,        │     assignment stored   │
      └─────────────────────┘   │   │    or time is over    │                         │
        nobody joined           │   └───────────────────────┘                         │
                                └─────────────────────────────────────────────────────┘
                                  a member joins, changes, leaves or fails
    any ──► DEAD: deleted or expired (from EMPTY only), or the partition went to another broker

A move that is not in the table is a mistake in our code.
"""

from enum import Enum


class GroupState(Enum):
    """The values are what clients and tools are shown."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


class Cause(Enum):
    """Why a group moves."""

    REBALANCE_STARTED = "rebalance started"
    MEMBERS_JOINED = "members joined"
    NOBODY_JOINED = "nobody joined"
    ASSIGNMENT_STORED = "assignment stored"
    REMOVED = "removed"
    UNLOADED = "unloaded"


TRANSITIONS: dict[tuple[GroupState, Cause], GroupState] = {
    (GroupState.EMPTY, Cause.REBALANCE_STARTED): GroupState.PREPARING_REBALANCE,
    (GroupState.EMPTY, Cause.REMOVED): GroupState.DEAD,
    (GroupState.EMPTY, Cause.UNLOADED): GroupState.DEAD,
    (GroupState.PREPARING_REBALANCE, Cause.MEMBERS_JOINED): GroupState.COMPLETING_REBALANCE,
    (GroupState.PREPARING_REBALANCE, Cause.NOBODY_JOINED): GroupState.EMPTY,
    (GroupState.PREPARING_REBALANCE, Cause.UNLOADED): GroupState.DEAD,
    (GroupState.COMPLETING_REBALANCE, Cause.ASSIGNMENT_STORED): GroupState.STABLE,
    (GroupState.COMPLETING_REBALANCE, Cause.REBALANCE_STARTED): GroupState.PREPARING_REBALANCE,
    (GroupState.COMPLETING_REBALANCE, Cause.UNLOADED): GroupState.DEAD,
    (GroupState.STABLE, Cause.REBALANCE_STARTED): GroupState.PREPARING_REBALANCE,
    (GroupState.STABLE, Cause.UNLOADED): GroupState.DEAD,
}
