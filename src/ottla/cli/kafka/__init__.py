"""Kafka's own tools: its names, its options, its output.

    names                    the names of the tools
    options                  the command line of a tool
    clients                  the clients of the tools
    java                     exceptions, log lines and hash order as Java has them
    topics                   kafka-topics
    topic_listing            which topics it means, and their description
    configs                  kafka-configs
    quota_configs            the quotas of kafka-configs
    consumer_groups          kafka-consumer-groups
    group_tables             its tables
    consumer_offset_checker  the manual's ConsumerOffsetChecker
    console_producer         kafka-console-producer
    console_consumer         kafka-console-consumer
    message_formatter        how it prints a record
    get_offsets              kafka-get-offsets
    delete_records           kafka-delete-records
    leader_election          kafka-leader-election, kafka-preferred-replica-election
    log_dirs                 kafka-log-dirs
    dump_log                 kafka-dump-log
    index_dump               indexes and producer snapshots in it
    offsets_decoder          records of `__consumer_offsets` in it
    transactions_decoder     records of `__transaction_state` in it
    producer_perf_test       kafka-producer-perf-test
    consumer_perf_test       kafka-consumer-perf-test
    e2e_latency              kafka-e2e-latency
    verifiable_producer      kafka-verifiable-producer
    verifiable_consumer      kafka-verifiable-consumer
    replica_verification     kafka-replica-verification
    broker_api_versions      kafka-broker-api-versions
    cluster                  kafka-cluster
    features                 kafka-features
    servers                  kafka-server-start and -stop, zookeeper-server-start and -stop
    zookeeper_shell          zookeeper-shell
    run_class                kafka-run-class

Each tool's file holds `main(arguments) -> exit code`. Called with --bootstrap-server a tool prints the text of Kafka
3.9's, which is what scripts read; called with --zookeeper, as the manual calls it, it prints the manual's.
"""
