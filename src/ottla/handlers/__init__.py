"""Step 4 of the path: one file per API family; a request message in, a response message out.

    context                what a handler is told about a request, and what it may return besides a response
    registry               the table of what this broker serves: dispatch routes by it, ApiVersions advertises it
    api_versions           ApiVersions, answered from that table
    alter_partition        AlterPartition (0-3)
    authorized_operations  the bit fields of authorized operations (KIP-430)
    broker_loggers         the broker's loggers as a config resource (KIP-412)
    change_log             the log lines of what clients change
    cluster                DescribeCluster (KIP-700)
    config_edits           how a set of dynamic configs changes by a request
    configs                DescribeConfigs, AlterConfigs, IncrementalAlterConfigs, for topics
    control                what the controller tells this broker: LeaderAndIsr (5-7), StopReplica (3-4)
    controlled_shutdown    ControlledShutdown (0-3)
    delete_records         DeleteRecords (0-2)
    elect_leaders          ElectLeaders (0-2)
    error_texts            what Kafka says with an error code when it has nothing more exact to say
    fetch                  fetch (0-18)
    find_coordinator       FindCoordinator
    groups                 the membership of groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup
    in_parts               a handler that is a plain function, made to answer a long request part by part
    leader_endpoints       where the leaders listen that an answer names (KIP-951)
    leader_epochs          OffsetForLeaderEpoch (0-4)
    list_offsets           ListOffsets (0-11)
    log_dirs               DescribeLogDirs (0-5)
    metadata               metadata
    offset_fetch           OffsetFetch
    offsets                committing offsets, and taking them away: OffsetCommit, OffsetDelete
    produce                produce (0-13)
    producer_ids           InitProducerId (0-5)
    producers              DescribeProducers (0)
    topic_partitions       DescribeTopicPartitions (0)
    topics                 CreateTopics, DeleteTopics, CreatePartitions
    single_batch_produce   the fast path of Produce: one batch for one partition, acknowledged at once. From bytes to

A family is a class that is given what it needs and registers its methods:

    class MetadataHandlers:
        def __init__(self, metadata: MetadataCache) -> None: ...
        def register(self, table: HandlerTable) -> None:
            table.add(ApiKey.METADATA, self.handle_metadata, 0, 12, metadata_error)

Handlers are plain functions that answer at once. One that must wait returns a Future (or is a coroutine function, where
a task is worth its price); it must not keep `records` of the request past its return, since they lie in a buffer that
is used again.
"""
