"""Coordinators: what many clients agree on through one broker, kept in an internal topic.

    partitioning   which partition of the internal topic a name belongs to; its leader is the coordinator
    runtime/       what every coordinator stands on: partitions won and lost, loading, appends, timers
    offsets/       committed offsets, of groups of any kind
    group/         consumer groups of the classic protocol; the group coordinator

Each coordinator is a pure state machine per partition (a shard) with the runtime around it: the machine is given a
request or an event and the time, and says what to append, what to respond and when to be woken; `replay` applies what
was appended. What a client is told has been replicated before, so that the next coordinator, reading the same
partition, knows it too.
"""
