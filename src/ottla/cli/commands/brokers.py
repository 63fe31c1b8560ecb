"""`ottla brokers`: who they are, what they lead, how much lies on them."""

from collections import Counter

import click

from ottla.cli.connection import Target, connected
from ottla.cli.output import print_rows


@click.command()
@connected
def brokers(target: Target) -> None:
    """The brokers and what lies on them."""
    with target.admin() as admin:
        cluster = admin.describe_cluster()
        names = admin.list_topics(include_internal=True)
        described = admin.describe_topics(names).results if names else {}
        directories = admin.describe_log_dirs().results
    led: Counter[int] = Counter()
    hosted: Counter[int] = Counter()
    for topic in described.values():
        led.update(one.leader for one in topic.partitions)
        hosted.update(broker for one in topic.partitions for broker in one.replicas)
    rows = []
    for broker in sorted(cluster.brokers, key=lambda one: one.node_id):
        found = directories.get(broker.node_id)
        size = None if found is None else sum(
            replica.size_bytes for directory in found.values() for replica in directory.replicas.values()
        )  # fmt: skip
        is_controller = broker.node_id == cluster.controller_id
        rows.append(
            (
                broker.node_id,
                f"{broker.host}:{broker.port}",
                broker.rack,
                is_controller,
                led[broker.node_id],
                hosted[broker.node_id],
                size,
            )
        )
    print_rows(target.format, ["broker", "address", "rack", "controller", "leaders", "replicas", "bytes"], rows)
