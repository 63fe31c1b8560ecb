"""`kafka-run-class CLASS ...`: Kafka's tools by the names of their classes, as the manual calls some of them."""

import importlib
import sys
from collections.abc import Sequence

_PACKAGE = "ottla.cli.kafka."

# The class: module and function. A tool that Kafka moved from kafka.tools to org.apache.kafka.tools has both names.
CLASSES = {
    "kafka.Kafka": ("servers", "start_broker"),
    "org.apache.zookeeper.server.quorum.QuorumPeerMain": ("servers", "start_zookeeper"),
    "org.apache.zookeeper.ZooKeeperMainWithTlsSupportForKafka": ("zookeeper_shell", "main"),
    "kafka.admin.TopicCommand": ("topics", "main"),
    "kafka.admin.ConfigCommand": ("configs", "main"),
    "kafka.admin.ConsumerGroupCommand": ("consumer_groups", "main"),
    "kafka.admin.DeleteRecordsCommand": ("delete_records", "main"),
    "kafka.admin.LeaderElectionCommand": ("leader_election", "main"),
    "kafka.admin.PreferredReplicaLeaderElectionCommand": ("leader_election", "preferred_replica_election"),
    "kafka.admin.LogDirsCommand": ("log_dirs", "main"),
    "kafka.admin.BrokerApiVersionsCommand": ("broker_api_versions", "main"),
    "kafka.tools.ConsoleProducer": ("console_producer", "main"),
    "kafka.tools.ConsoleConsumer": ("console_consumer", "main"),
    "kafka.tools.ConsumerOffsetChecker": ("consumer_offset_checker", "main"),
    "kafka.tools.DumpLogSegments": ("dump_log", "main"),
    "kafka.tools.GetOffsetShell": ("get_offsets", "main"),
    "org.apache.kafka.tools.TopicCommand": ("topics", "main"),
    "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand": ("consumer_groups", "main"),
    "org.apache.kafka.tools.consumer.ConsoleConsumer": ("console_consumer", "main"),
    "org.apache.kafka.tools.DeleteRecordsCommand": ("delete_records", "main"),
    "org.apache.kafka.tools.LeaderElectionCommand": ("leader_election", "main"),
    "org.apache.kafka.tools.LogDirsCommand": ("log_dirs", "main"),
    "org.apache.kafka.tools.GetOffsetShell": ("get_offsets", "main"),
    "org.apache.kafka.tools.ClusterTool": ("cluster", "main"),
    "org.apache.kafka.tools.ProducerPerformance": ("producer_perf_test", "main"),
    "org.apache.kafka.tools.ConsumerPerformance": ("consumer_perf_test", "main"),
    "org.apache.kafka.tools.EndToEndLatency": ("e2e_latency", "main"),
    "org.apache.kafka.tools.VerifiableProducer": ("verifiable_producer", "main"),
    "org.apache.kafka.tools.VerifiableConsumer": ("verifiable_consumer", "main"),
    "org.apache.kafka.tools.ReplicaVerificationTool": ("replica_verification", "main"),
    "kafka.tools.ReplicaVerificationTool": ("replica_verification", "main"),
    "org.apache.kafka.tools.FeatureCommand": ("features", "main"),
}


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        print("USAGE: kafka-run-class classname [opts]", file=sys.stderr)
        return 1
    name, *rest = arguments
    if name not in CLASSES:
        print(f"Error: Could not find or load main class {name}", file=sys.stderr)
        print(f"There are: {', '.join(CLASSES)}", file=sys.stderr)
        return 1
    module, function = CLASSES[name]
    code: int = getattr(importlib.import_module(_PACKAGE + module), function)(rest)
    return code
