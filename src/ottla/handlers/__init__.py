"""Step 4 of the path: one file per API family; a request message in, a response message out.

alter_partition        AlterPartition
api_versions           ApiVersions, from the table of what is served
authorized_operations  the bit fields of authorized operations (KIP-430)
broker_loggers         the broker's loggers as a config resource (KIP-412)
change_log             the log lines of what clients change
cluster                DescribeCluster
config_edits           how a set of dynamic configs changes by a request
configs                DescribeConfigs, AlterConfigs, IncrementalAlterConfigs
context                what a handler is told about a client and a request, and what it may return besides a response
control                LeaderAndIsr, StopReplica, UpdateMetadata
controlled_shutdown    ControlledShutdown
delete_records         DeleteRecords
elect_leaders          ElectLeaders
error_texts            what Kafka says with an error code when it has nothing more exact to say
fetch                  Fetch, as one pipeline
find_coordinator       FindCoordinator
groups                 JoinGroup, SyncGroup, Heartbeat, LeaveGroup, ListGroups, DescribeGroups, DeleteGroups
in_parts               a handler that is a plain function, made to handle a long request part by part
leader_endpoints       where the leaders listen that a response names (KIP-951)
leader_epochs          OffsetForLeaderEpoch
list_offsets           ListOffsets
log_dirs               DescribeLogDirs
metadata               Metadata
offset_fetch           OffsetFetch
offsets                OffsetCommit, OffsetDelete
produce                Produce
producer_ids           InitProducerId
producers              DescribeProducers
registry               the table of what is served, with the traits of each API: dispatch routes by it
single_batch_produce   the fast path of Produce
topic_partitions       DescribeTopicPartitions
topics                 CreateTopics, DeleteTopics, CreatePartitions

A family is a class that is given what it needs and registers its methods:

    class MetadataHandlers:
        def __init__(self, metadata: MetadataCache) -> None: ...
        def register(self, table: HandlerTable) -> None:
            table.add(ApiKey.METADATA, self.handle_metadata, 0, 12, metadata_error)

Handlers are plain functions that respond at once. One that must wait returns a Future (or is a coroutine function,
where a task is worth its price). It must not keep `records` of the request past its return, since they lie in a buffer
that is used again.
"""
