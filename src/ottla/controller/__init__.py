"""Who leads what: the controller, and the side of every broker that obeys it.

    ZooKeeper ──watches──► event_queue ──► node ──► plans (pure) ──► state_store ──► ZooKeeper (multi, epoch checked)
                                                         └────────► control_requests ──► broker_channel ──► brokers
    broker:  control_request_handler ◄── LeaderAndIsr, UpdateMetadata, StopReplica ──► local_partitions, metadata cache

    node                     the controller on this broker, in office or not
    event_queue              the controller's events, one at a time, in the order in which they came
    active_controller        the controller while it is in office
    context                  what the parts of the controller in office share
    topic_deletions          deleting topics, to the last file and znode
    notifications            what tools and brokers tell the controller by writing a znode
    election                 who is the controller
    state                    what the controller knows
    elections                the rules of leader election for one partition, as pure functions
    plans                    what to change in ZooKeeper after an event
    state_store              the controller's reads and writes of ZooKeeper
    control_requests         what the controller tells brokers after a change
    broker_channel           the way from the controller to a broker
    topic_admin              what clients ask of the controller about topics
    topic_rules              what may be created and deleted
    placement                which brokers get the replicas of new partitions
    auto_creation            topics that nobody created
    control_request_handler  how a broker takes the controller's word
    local_partitions         what a broker's own replicas are told
    registration             a broker's place in the cluster
    config_store             dynamic configs on one broker
    producer_ids             producer ids
    attempts                 how often a write to ZooKeeper is tried again
    leader_moves             leaders moved while everybody is well
    network_channel          the way from the controller to the brokers over the network
    partition_alterations    ISR changes that leaders ask for (AlterPartition, KIP-497, KIP-903)
    zookeeper_refusals       what a client is told when ZooKeeper refuses what it asked for: Kafka's errors for those

Invariants
- One event at a time; plans see no half-done state.
- Every write is a multi that checks the version of /controller_epoch: a deposed controller changes nothing.
- Brokers are told only what is in ZooKeeper already, with the epochs that let them refuse old news.
"""
