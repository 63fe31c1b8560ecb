"""Which topics `kafka-topics` means, and its description of them, in both of its forms (tabs are shown as spaces).

    3.9            Topic: clicks  TopicId: ...  PartitionCount: 1  ReplicationFactor: 1  Configs: retention.ms=1
                     Topic: clicks  Partition: 0  Leader: 0  Replicas: 0  Isr: 0  Elr:   LastKnownElr:
    the manual     Topic:clicks  PartitionCount:1  ReplicationFactor:1  Configs:retention.ms=1
                     Topic: clicks  Partition: 0  Leader: 0  Replicas: 0  Isr: 0

Eligible leader replicas (KIP-966): a broker that can be asked for them has none, for one that cannot it is N/A.
"""

import re
from argparse import Namespace
from typing import TYPE_CHECKING

from ottla.cli.kafka.java import hash_map_order
from ottla.cli.one_request import serves
from ottla.clients.admin.types import ConfigEntry, ConfigResource, PartitionDescription, TopicDescription
from ottla.model import INTERNAL_TOPICS, encode_uuid
from ottla.protocol.api_keys import ApiKey

if TYPE_CHECKING:
    from ottla import Admin

Configs = dict[str, ConfigEntry]


class IllegalArgument(Exception):
    """A Java IllegalArgumentException, by its message."""


def matching_topics(admin: "Admin", expression: str | None, exclude_internal: bool) -> list[str]:
    """Names that the expression (Java's, with commas for `|`) matches as a whole, sorted."""
    names = sorted(admin.list_topics(include_internal=True))
    if expression is not None:
        pattern = re.compile(expression.strip().strip("\"'").replace(",", "|"))
        names = [name for name in names if pattern.fullmatch(name)]
    return [name for name in names if not (exclude_internal and name in INTERNAL_TOPICS)]


def describe(admin: "Admin", given: Namespace) -> None:
    names = _named(admin, given)
    described = admin.describe_topics(names).check() if names else {}
    resources = {name: ConfigResource.topic(name) for name in names}
    configs = admin.describe_configs(resources.values()).check() if names else {}
    wants_partitions_only = (
        given.under_replicated_partitions
        or given.unavailable_partitions
        or given.under_min_isr_partitions
        or given.at_min_isr_partitions
    )
    elr = "" if given.zookeeper or serves(given.bootstrap_server, ApiKey.DESCRIBE_TOPIC_PARTITIONS) else "N/A"
    for name in sorted(described):
        entries = configs[resources[name]]
        overrides = [f"{key}={entries[key].value}" for key in hash_map_order(entries) if not entries[key].is_default]
        if not wants_partitions_only and (overrides or not given.topics_with_overrides):
            print(_header(described[name], ",".join(overrides), given))
        if not given.topics_with_overrides:
            for partition in described[name].partitions:
                if _is_wanted(partition, entries, given):
                    print(_line(name, partition, elr, given))


def _named(admin: "Admin", given: Namespace) -> list[str]:
    if given.topic_id is not None:
        listed = admin.list_topics(include_internal=True)
        names = [name for name, listing in listed.items() if encode_uuid(listing.topic_id) == given.topic_id]
        if not names and not given.if_exists:
            raise IllegalArgument(f"TopicId '{given.topic_id}' does not exist as expected")
        return names
    names = matching_topics(admin, given.topic, given.exclude_internal)
    if given.topic is not None and not names and not given.if_exists and not given.zookeeper:
        raise IllegalArgument(f"Topic 'Optional[{given.topic}]' does not exist as expected")
    return names


def _header(topic: TopicDescription, configs: str, given: Namespace) -> str:
    count = len(topic.partitions)
    replicas = len(topic.partitions[0].replicas)
    if given.zookeeper:
        return f"Topic:{topic.name}\tPartitionCount:{count}\tReplicationFactor:{replicas}\tConfigs:{configs}"
    return (
        f"Topic: {topic.name}\tTopicId: {encode_uuid(topic.topic_id)}\tPartitionCount: {count}\t"
        f"ReplicationFactor: {replicas}\tConfigs: {configs}"
    )


def _line(name: str, partition: PartitionDescription, elr: str, given: Namespace) -> str:
    leader = "none" if partition.leader < 0 else str(partition.leader)
    replicas = ",".join(map(str, partition.replicas))
    in_sync = ",".join(map(str, partition.in_sync_replicas))
    line = f"\tTopic: {name}\tPartition: {partition.partition}\tLeader: {leader}\tReplicas: {replicas}\tIsr: {in_sync}"
    return line if given.zookeeper else f"{line}\tElr: {elr}\tLastKnownElr: {elr}"


def _is_wanted(partition: PartitionDescription, configs: Configs, given: Namespace) -> bool:
    in_sync = len(partition.in_sync_replicas)
    least = int(configs["min.insync.replicas"].value or 1) if "min.insync.replicas" in configs else 1
    if given.under_replicated_partitions:
        return in_sync < len(partition.replicas)
    if given.unavailable_partitions:
        return partition.leader < 0
    if given.under_min_isr_partitions:
        return in_sync < least
    return in_sync == least if given.at_min_isr_partitions else True
