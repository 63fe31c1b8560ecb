"""`ottla cluster`: the whole at a glance, and an exit code for monitoring."""

import click

from ottla.cli.connection import Target, connected
from ottla.cli.output import print_fields
from ottla.errors.tree import OttlaError


class NotHealthyError(OttlaError):
    """Partitions have no leader, or too few replicas in sync."""


@click.command()
@connected
def cluster(target: Target) -> None:
    """The cluster at a glance. Ends with 1 when partitions have no leader or too few replicas in sync."""
    with target.admin() as admin:
        described = admin.describe_cluster()
        names = admin.list_topics(include_internal=True)
        topics = admin.describe_topics(names).results if names else {}
    partitions = [one for topic in topics.values() for one in topic.partitions]
    offline = sum(one.leader < 0 for one in partitions)
    under_replicated = sum(len(one.in_sync_replicas) < len(one.replicas) for one in partitions)
    print_fields(
        target.format,
        {
            "cluster_id": described.cluster_id,
            "controller": described.controller_id,
            "brokers": sorted(broker.node_id for broker in described.brokers),
            "topics": len(topics),
            "partitions": len(partitions),
            "under_replicated": under_replicated,
            "offline": offline,
        },
    )
    if offline or under_replicated:
        raise NotHealthyError("not healthy: `ottla topics describe` shows the partitions")
