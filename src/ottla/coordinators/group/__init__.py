"""Consumer groups of the classic protocol, and the group coordinator.

    coordinator          the group coordinator of a broker: the partitions of `__consumer_offsets` that it leads
    shard                one of these partitions: classic groups, and the offsets of groups of any kind
    group                a group: its members, its generation and what they agreed on
    member               a member of a group
    states               the five states and the one table of how a group moves between them
    requests             requests to a group, and their results
    joining              JoinGroup: new, known, pending and static members
    rebalancing          waiting for members, the next generation, removing members
    syncing              SyncGroup: the leader's assignment, stored before anybody is told
    liveness             Heartbeat, LeaveGroup, sessions and deadlines
    records              groups in `__consumer_offsets`, and back
    describing           ListGroups, DescribeGroups
    settings             the configuration keys
    coordinator_metrics  what the group coordinator counts

How a rebalance ends: handlers.groups -> coordinator -> shard -> syncing (checks, the group's record) -> the runtime
appends it -> replicated -> syncing.assignment_stored (only now STABLE) -> responses to all members.
"""
