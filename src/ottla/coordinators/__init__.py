"""Coordinators: what many clients agree on through one broker, kept in an internal topic.

    partitioning   which partition of the internal topic a name belongs to; its leader is the coordinator
    group/         consumer groups and committed offsets, in `__consumer_offsets`

Each is a pure state machine with a driver around it: the machine is given an event and the time, and says what to
append, what to answer and when to be woken; `replay` applies what was appended. What a client is told has been
replicated before, so that the next coordinator, reading the same partition, knows it too.
"""
