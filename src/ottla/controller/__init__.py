"""Who leads what: the controller, and the side of every broker that obeys it.

    ZooKeeper ──watches──► event_queue ──► node ──► plans (pure) ──► state_store ──► ZooKeeper (multi, epoch checked)
                                                         └────────► control_requests ──► broker_channel ──► brokers
    broker:  control_request_handler ◄── LeaderAndIsr, UpdateMetadata, StopReplica ──► local_partitions, metadata cache

    node                      the controller on this broker, active or not
    event_queue               one event at a time
    election                  /controller and /controller_epoch
    active_controller         the controller while it is active
    context                   what the parts of the active controller share
    state                     what the controller knows
    elections                 the rules of leader election for one partition (pure)
    plans                     what to change (pure)
    leader_moves              leaders moved while everybody is well
    partition_alterations     ISR changes that leaders ask for (AlterPartition)
    topic_admin               topics created, deleted, given more partitions
    topic_rules               which names and counts of topics are allowed
    topic_deletions           deletion to the last file
    placement                 where replicas go
    auto_creation             topics that nobody created, and the internal ones
    notifications             what tools and brokers ask through ZooKeeper
    state_store               reads and writes of ZooKeeper, each write conditioned on the controller's epoch
    attempts                  how often a write to ZooKeeper is tried again
    zookeeper_refusals        what a client is told when ZooKeeper refuses
    control_requests          what brokers are told
    broker_channel            how it gets there: the interface
    network_channel           how it gets there: over the network
    control_request_handler   how a broker takes the controller's word
    local_partitions          whom a broker tells of its own replicas: the interface
    registration              /brokers/ids/N, /cluster/id, generated ids
    config_store              dynamic configs and their notifications
    producer_ids              blocks of producer ids

Invariants
- One event at a time; plans see no half-done state.
- Every write is a multi that checks the version of /controller_epoch: a deposed controller changes nothing.
- Brokers are told only what is in ZooKeeper already, with the epochs that let them refuse what is old.
"""
