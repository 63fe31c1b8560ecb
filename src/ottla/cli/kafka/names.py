"""The names of Kafka's tools, each with the module that holds its `main`."""

from ottla.cli.lazy_group import LazyTable

KAFKA_TOOLS: LazyTable = {
    "kafka-dump-log": ("ottla.cli.kafka.dump_log", "main", "What stands in segment files."),
}
