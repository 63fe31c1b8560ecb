"""`kafka-broker-api-versions`: what every broker speaks, and which version of it a client of Kafka 3.9 would use."""

from collections.abc import Iterator, Mapping, Sequence

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.cli.one_request import versions_of
from ottla.clients.api_versions import VersionRange

# Key: name and highest version of a client of Kafka 3.9 (the lowest is 0), in the order in which it prints them.
CLIENT_VERSIONS: dict[int, tuple[str, int]] = {
    0: ("Produce", 11), 1: ("Fetch", 17), 2: ("ListOffsets", 9), 3: ("Metadata", 12), 4: ("LeaderAndIsr", 7),
    5: ("StopReplica", 4), 6: ("UpdateMetadata", 8), 7: ("ControlledShutdown", 3), 8: ("OffsetCommit", 9),
    9: ("OffsetFetch", 9), 10: ("FindCoordinator", 6), 11: ("JoinGroup", 9), 12: ("Heartbeat", 4),
    13: ("LeaveGroup", 5), 14: ("SyncGroup", 5), 15: ("DescribeGroups", 5), 16: ("ListGroups", 5),
    17: ("SaslHandshake", 1), 18: ("ApiVersions", 4), 19: ("CreateTopics", 7), 20: ("DeleteTopics", 6),
    21: ("DeleteRecords", 2), 22: ("InitProducerId", 5), 23: ("OffsetForLeaderEpoch", 4),
    24: ("AddPartitionsToTxn", 5), 25: ("AddOffsetsToTxn", 4), 26: ("EndTxn", 4), 27: ("WriteTxnMarkers", 1),
    28: ("TxnOffsetCommit", 4), 29: ("DescribeAcls", 3), 30: ("CreateAcls", 3), 31: ("DeleteAcls", 3),
    32: ("DescribeConfigs", 4), 33: ("AlterConfigs", 2), 34: ("AlterReplicaLogDirs", 2), 35: ("DescribeLogDirs", 4),
    36: ("SaslAuthenticate", 2), 37: ("CreatePartitions", 3), 38: ("CreateDelegationToken", 3),
    39: ("RenewDelegationToken", 2), 40: ("ExpireDelegationToken", 2), 41: ("DescribeDelegationToken", 3),
    42: ("DeleteGroups", 2), 43: ("ElectLeaders", 2), 44: ("IncrementalAlterConfigs", 1),
    45: ("AlterPartitionReassignments", 0), 46: ("ListPartitionReassignments", 0), 47: ("OffsetDelete", 0),
    48: ("DescribeClientQuotas", 1), 49: ("AlterClientQuotas", 1), 50: ("DescribeUserScramCredentials", 0),
    51: ("AlterUserScramCredentials", 0), 55: ("DescribeQuorum", 2), 56: ("AlterPartition", 3),
    57: ("UpdateFeatures", 1), 58: ("Envelope", 0), 60: ("DescribeCluster", 1), 61: ("DescribeProducers", 0),
    64: ("UnregisterBroker", 0), 65: ("DescribeTransactions", 0), 66: ("ListTransactions", 1),
    67: ("AllocateProducerIds", 0), 68: ("ConsumerGroupHeartbeat", 0), 69: ("ConsumerGroupDescribe", 0),
    71: ("GetTelemetrySubscriptions", 0), 72: ("PushTelemetry", 0), 74: ("ListClientMetricsResources", 0),
    75: ("DescribeTopicPartitions", 0), 76: ("ShareGroupHeartbeat", 0), 77: ("ShareGroupDescribe", 0),
    78: ("ShareFetch", 0), 79: ("ShareAcknowledge", 0), 80: ("AddRaftVoter", 0), 81: ("RemoveRaftVoter", 0),
    83: ("InitializeShareGroupState", 0), 84: ("ReadShareGroupState", 0), 85: ("WriteShareGroupState", 0),
    86: ("DeleteShareGroupState", 0), 87: ("ReadShareGroupStateSummary", 0),
}  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-broker-api-versions", "What every broker speaks.")
    bootstrap_options(options)
    given = options.parse(arguments)
    with open_admin(given.bootstrap_server, given.command_config) as admin:
        brokers = admin.describe_cluster().brokers
    for broker in sorted(brokers, key=lambda one: one.node_id):
        versions = versions_of(f"{broker.host}:{broker.port}")
        print(f"{broker.host}:{broker.port} (id: {broker.node_id} rack: {broker.rack or 'null'}) -> (")
        print(",\n".join(_lines(versions)))
        print(")")
    return 0


def _lines(versions: Mapping[int, VersionRange]) -> Iterator[str]:
    for key in sorted(CLIENT_VERSIONS.keys() | versions.keys()):
        name, latest = CLIENT_VERSIONS.get(key, ("UNKNOWN", -1))
        found = versions.get(key)
        if found is None:
            yield f"\t{name}({key}): UNSUPPORTED"
            continue
        spoken = str(found.first) if found.first == found.last else f"{found.first} to {found.last}"
        if latest < 0:
            yield f"\t{name}({key}): {spoken}"
        else:
            usable = min(latest, found.last)
            yield f"\t{name}({key}): {spoken} [usable: {usable if usable >= found.first else 'NONE'}]"
