"""Consumer groups of the classic protocol, and the offsets they commit.

The state machine, pure; a file per part of a group's life:

    states             the five states and the one table of how a group moves between them
    member, group      who is in a group: the state and its invariants
    requests           what a group is asked, and what it answers
    step               one event's turn: the time, and what has to be done when it is over
    joining            JoinGroup: new, known, pending and static members
    rebalancing        waiting for members, the next generation, removing members
    syncing            SyncGroup: the leader's assignment, stored before anybody is told
    liveness           Heartbeat, LeaveGroup, sessions and deadlines
    committed_offsets  a group's offsets, those on their way into the log and those of open transactions
    offsets            OffsetCommit, OffsetFetch, OffsetDelete, expiry
    records            what stands in `__consumer_offsets`, and back
    loading            a whole partition of it into groups
    describing         ListGroups, DescribeGroups

The driver:

    coordinator        the groups of the partitions that this broker leads: requests in, appends and answers out
    offsets_log        what the driver needs of the log; `replicated_log` is the real one
    waiter             an answer that is not there yet
    settings           the configuration keys
    zookeeper_offsets  OffsetCommit 0 and OffsetFetch 0, which keep offsets in ZooKeeper

How a commit goes: handlers.offsets -> coordinator -> offsets.handle_commit (checks, records) -> offsets_log.append ->
replicated -> offsets.offsets_stored (only now visible) -> answer.
"""
