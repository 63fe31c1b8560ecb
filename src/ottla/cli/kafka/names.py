"""The names of Kafka's tools, each with the module that holds its `main`."""

from ottla.cli.lazy_group import LazyTable

_PACKAGE = "ottla.cli.kafka."

KAFKA_TOOLS: LazyTable = {
    name: (_PACKAGE + module, "main", summary)
    for name, module, summary in (
        ("kafka-topics", "topics", "Create, list, describe, alter and delete topics."),
        ("kafka-console-producer", "console_producer", "Lines of standard input as records."),
        ("kafka-console-consumer", "console_consumer", "Records to standard output."),
        ("kafka-consumer-groups", "consumer_groups", "List, describe, reset and delete groups."),
        ("kafka-configs", "configs", "Describe and alter configurations."),
        ("kafka-get-offsets", "get_offsets", "Offsets of partitions at a time."),
        ("kafka-delete-records", "delete_records", "Delete the records before offsets."),
        ("kafka-leader-election", "leader_election", "Elect leaders."),
        ("kafka-log-dirs", "log_dirs", "What lies in the log directories of brokers."),
        ("kafka-dump-log", "dump_log", "What stands in segment files."),
        ("kafka-producer-perf-test", "producer_perf_test", "How fast records are taken."),
        ("kafka-consumer-perf-test", "consumer_perf_test", "How fast records are given."),
        ("kafka-e2e-latency", "e2e_latency", "From the producer to a consumer, one record at a time."),
        ("kafka-verifiable-producer", "verifiable_producer", "Numbers as records, each told of in JSON."),
        ("kafka-verifiable-consumer", "verifiable_consumer", "A member of a group that tells everything in JSON."),
        ("kafka-replica-verification", "replica_verification", "Are all replicas of a partition the same?"),
        ("kafka-broker-api-versions", "broker_api_versions", "What every broker speaks."),
        ("kafka-cluster", "cluster", "The id of a cluster; forgetting a broker."),
        ("kafka-features", "features", "The features of the cluster."),
    )
} | {
    name: (_PACKAGE + module, function, summary)
    for name, module, function, summary in (
        ("kafka-preferred-replica-election", "leader_election", "preferred_replica_election",
         "Give leadership back to the preferred replicas."),
        ("kafka-server-start", "servers", "start_broker", "Start a broker."),
        ("kafka-server-stop", "servers", "stop_broker", "Stop brokers."),
        ("zookeeper-server-start", "servers", "start_zookeeper", "Start a ZooKeeper server."),
        ("zookeeper-server-stop", "servers", "stop_zookeeper", "Stop ZooKeeper servers."),
        ("zookeeper-shell", "zookeeper_shell", "main", "Look into ZooKeeper."),
        ("kafka-run-class", "run_class", "main", "Kafka's tools by the names of their classes."),
    )
}  # fmt: skip
