"""Committed offsets: how far groups have read, whatever kind of groups they are.

    store              the offsets of all groups in one partition of `__consumer_offsets`
    group_offsets      the offsets of one group: committed, on their way into the log, and of open transactions
    owner              what the store asks of the group that the offsets belong to; a group that is nothing but offsets
    requests           what is asked of offsets, and the results
    records            OffsetCommit records in `__consumer_offsets`, and back
    expiry             looks for expired offsets from time to time
    zookeeper_offsets  OffsetCommit 0 and OffsetFetch 0, which keep offsets in ZooKeeper

How a commit goes: handlers.offsets -> group.coordinator -> group.shard -> store.handle_commit (checks, records) ->
runtime appends -> replicated -> store (only now visible) -> response.
"""
