"""`ottla topics list|create|describe|alter|delete`."""

import click

from ottla.cli.connection import Target, connected, parse_property
from ottla.cli.output import Format, note, print_outcomes, print_rows


@click.group()
def topics() -> None:
    """List, create, describe, alter and delete topics."""


@topics.command("list")
@click.option("--internal", is_flag=True, help="Show the topics that Kafka keeps for itself too.")
@connected
def list_topics(target: Target, internal: bool) -> None:
    """The topics, with partitions and replicas."""
    with target.admin() as admin:
        names = admin.list_topics(include_internal=internal)
        described = admin.describe_topics(names) if names else {}
        rows = [
            (name, len(found.partitions), max((len(one.replicas) for one in found.partitions), default=0))
            for name, found in sorted(described.items())
        ]
    print_rows(target.format, ["topic", "partitions", "replication_factor"], rows)


@topics.command()
@click.argument("names", nargs=-1, required=True, metavar="TOPIC...")
@click.option("-p", "--partitions", type=int, default=-1, help="How many partitions; the broker's default without it.")
@click.option("-r", "--replication-factor", type=int, default=-1, help="How many replicas of each partition.")
@click.option("-c", "--config", "configs", multiple=True, metavar="KEY=VALUE", help="A topic's own configuration.")
@click.option("--if-not-exists", is_flag=True, help="A topic that is there already is no error.")
@click.option("--dry-run", is_flag=True, help="Only ask the broker whether it could be.")
@connected
def create(
    target: Target,
    names: tuple[str, ...],
    partitions: int,
    replication_factor: int,
    configs: tuple[str, ...],
    if_not_exists: bool,
    dry_run: bool,
) -> None:
    """Create topics."""
    from ottla.cli.config_hints import near_keys_named
    from ottla.clients.admin.types import NewTopic
    from ottla.errors.kafka import TopicAlreadyExistsError

    overrides = dict(map(parse_property, configs))
    wanted = [NewTopic(name, partitions, replication_factor, overrides) for name in names]
    with target.admin() as admin:
        outcomes = admin.create_topics(wanted, validate_only=dry_run)
    done = dict.fromkeys(outcomes.results, "could be created" if dry_run else "created")
    failures = dict(outcomes.errors)
    for name, error in outcomes.errors.items():
        if if_not_exists and isinstance(error, TopicAlreadyExistsError):
            done[name] = "is there already"
            del failures[name]
    print_outcomes(target.format, "topic", done.items())
    with near_keys_named("topic", overrides):
        for error in failures.values():
            raise error


@topics.command()
@click.argument("names", nargs=-1, metavar="[TOPIC]...")
@connected
def describe(target: Target, names: tuple[str, ...]) -> None:
    """Partitions with leader, replicas and offsets; of all topics when none is named."""
    from ottla.clients.admin.types import OffsetSpec
    from ottla.model import TopicPartition

    with target.admin() as admin:
        described = admin.describe_topics(names or admin.list_topics()).check()
        partitions = {
            TopicPartition(name, one.partition): one for name, found in described.items() for one in found.partitions
        }
        led = [partition for partition, found in partitions.items() if found.leader >= 0]
        first = admin.list_offsets(dict.fromkeys(led, OffsetSpec.EARLIEST)).results
        end = admin.list_offsets(dict.fromkeys(led, OffsetSpec.LATEST)).results
    rows = [
        (
            *partition,
            found.leader if found.leader >= 0 else None,
            found.replicas,
            found.in_sync_replicas,
            first[partition].offset if partition in first else None,
            end[partition].offset if partition in end else None,
        )
        for partition, found in sorted(partitions.items())
    ]
    columns = ["topic", "partition", "leader", "replicas", "in_sync_replicas", "log_start_offset", "log_end_offset"]
    print_rows(target.format, columns, rows)


@topics.command()
@click.argument("name", metavar="TOPIC")
@click.option("-p", "--partitions", type=int, help="More partitions than it has. Keys then go to other partitions.")
@click.option("-c", "--config", "configs", multiple=True, metavar="KEY=VALUE", help="Set a key.")
@click.option("-d", "--delete-config", "deleted", multiple=True, metavar="KEY", help="Back to the default.")
@click.option("--dry-run", is_flag=True, help="Only ask the broker whether it could be.")
@connected
def alter(
    target: Target, name: str, partitions: int | None, configs: tuple[str, ...], deleted: tuple[str, ...], dry_run: bool
) -> None:
    """Give a topic more partitions or another configuration."""
    from ottla.cli.config_hints import near_keys_named
    from ottla.clients.admin.types import ConfigResource

    if partitions is None and not configs and not deleted:
        raise click.UsageError("nothing to alter: give --partitions, --config or --delete-config")
    changes: dict[str, str | None] = dict(map(parse_property, configs))
    changes.update(dict.fromkeys(deleted))
    with target.admin() as admin, near_keys_named("topic", changes):
        if changes:
            admin.alter_configs({ConfigResource.topic(name): changes}, validate_only=dry_run).check()
        if partitions is not None:
            admin.create_partitions({name: partitions}, validate_only=dry_run).check()
    print_outcomes(target.format, "topic", [(name, "could be altered" if dry_run else "altered")])


@topics.command()
@click.argument("names", nargs=-1, required=True, metavar="TOPIC...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
@connected
def delete(target: Target, names: tuple[str, ...], yes: bool, dry_run: bool) -> None:
    """Delete topics with all their records. Asks first on a terminal."""
    from ottla.cli.confirmation import confirm

    with target.admin() as admin:
        described = admin.describe_topics(names).check()
        if target.format is Format.TABLE:
            for name, found in described.items():
                note(f"{name}: {len(found.partitions)} partitions")
        if not dry_run:
            confirm(f"Delete {len(names)} topics with all their records?", yes)
            admin.delete_topics(names).check()
    print_outcomes(
        target.format,
        "topic",
        [(name, "would be deleted" if dry_run else "deleted") for name in described],
        partitions=[len(found.partitions) for found in described.values()],
    )
