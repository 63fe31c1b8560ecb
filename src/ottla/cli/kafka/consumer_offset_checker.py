"""`kafka.tools.ConsumerOffsetChecker`: where a group is, as the manual's chapter 6.1 shows it.

Offsets come from the group's coordinator and, where the group keeps them there, from ZooKeeper, which also knows the
owners of partitions in groups of the old consumer.
"""

from collections.abc import Sequence

from ottla.cli.kafka.clients import brokers_in_zookeeper, open_admin
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.zookeeper_client import connected_client
from ottla.clients.admin.types import OffsetSpec
from ottla.coordination import paths
from ottla.coordination.blocking_client import BlockingClient
from ottla.model import TopicPartition

_LINE = "{:<15} {:<30} {:<3} {:<15} {:<15} {:<15} {}"


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka.tools.ConsumerOffsetChecker", "The position of a group.")
    options.value("--zkconnect", "--zookeeper", default="localhost:2181")
    options.value("--group", required=True)
    options.value("--topic", help="topics, with commas between them; all of the group's without it")
    options.flag("--broker-info", help="print the brokers too")
    given = options.parse(arguments)
    server = brokers_in_zookeeper(given.zkconnect)
    wanted = set(given.topic.split(",")) if given.topic else None
    with connected_client(given.zkconnect) as zookeeper, open_admin(server) as admin:
        offsets = _offsets_in_zookeeper(zookeeper, given.group)
        offsets |= {one: found.offset for one, found in admin.list_group_offsets(given.group).items()
                    if found.offset >= 0}  # fmt: skip
        partitions = sorted(one for one in offsets if wanted is None or one.topic in wanted)
        ends = admin.list_offsets(dict.fromkeys(partitions, OffsetSpec.LATEST)).results if partitions else {}
        group = admin.describe_groups([given.group])[given.group]
        owners = {one: member.member_id for member in group.members for one in member.assignment}
        print(_LINE.format("Group", "Topic", "Pid", "Offset", "logSize", "Lag", "Owner"))
        for one in partitions:
            end = ends[one].offset if one in ends else None
            lag = "unknown" if end is None else end - offsets[one]
            owner = owners.get(one) or _owner(zookeeper, given.group, one)
            print(_LINE.format(given.group, one.topic, one.partition, offsets[one],
                               "unknown" if end is None else end, lag, owner))  # fmt: skip
        if given.broker_info:
            print("BROKER INFO")
            for broker in admin.describe_cluster().brokers:
                print(f"{broker.node_id} -> {broker.host}:{broker.port}")
    return 0


def _offsets_in_zookeeper(client: BlockingClient, group: str) -> dict[TopicPartition, int]:
    home = f"{paths.CONSUMERS}/{group}/offsets"
    if not client.exists(home):
        return {}
    return {
        TopicPartition(topic, int(number)): int(client.get(f"{home}/{topic}/{number}")[0])
        for topic in client.children(home)
        for number in client.children(f"{home}/{topic}")
    }


def _owner(client: BlockingClient, group: str, partition: TopicPartition) -> str:
    path = paths.consumer_owner(group, partition)
    return client.get(path)[0].decode() if client.exists(path) else "none"
