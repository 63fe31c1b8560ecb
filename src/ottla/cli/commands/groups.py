"""`ottla groups list|describe|reset|delete`."""

from typing import TYPE_CHECKING, Any

import click

from ottla.cli.connection import Target, connected
from ottla.cli.output import Format, note, print_outcomes, print_rows
from ottla.errors.tree import OperatorError

if TYPE_CHECKING:
    from ottla import Admin
    from ottla.clients.admin.types import GroupDescription

_IDLE = ("Empty", "Dead")


@click.group()
def groups() -> None:
    """Consumer groups: list, describe, reset offsets, delete."""


@groups.command("list")
@click.option("--state", "states", multiple=True, metavar="STATE", help="Stable, Empty, ...; may be repeated.")
@connected
def list_groups(target: Target, states: tuple[str, ...]) -> None:
    """The groups, their states and how many members they have."""
    with target.admin() as admin:
        found = admin.list_groups(states=states)
        described = admin.describe_groups([group.group_id for group in found]).results
    rows = [
        (group.group_id, group.state, group.protocol_type,
         len(described[group.group_id].members) if group.group_id in described else None)
        for group in found
    ]  # fmt: skip
    print_rows(target.format, ["group", "state", "protocol_type", "members"], rows)


@groups.command()
@click.argument("names", nargs=-1, required=True, metavar="GROUP...")
@click.option("--members", is_flag=True, help="The members and what they have.")
@connected
def describe(target: Target, names: tuple[str, ...], members: bool) -> None:
    """Offsets and lag of groups, in records and in seconds; or their members."""
    with target.admin() as admin:
        described = [_existing(admin, name) for name in names]
        if members:
            _print_members(target, described)
        else:
            _print_offsets(target, admin, described)


@groups.command()
@click.argument("name", metavar="GROUP")
@click.argument("topics", nargs=-1, metavar="[TOPIC[:PARTITIONS]]...")
@click.option("--to-earliest", is_flag=True)
@click.option("--to-latest", is_flag=True)
@click.option("--to-current", is_flag=True)
@click.option("--to-offset", type=int, metavar="N")
@click.option("--shift-by", type=int, metavar="N")
@click.option("--to-datetime", metavar="TIME")
@click.option("--by-duration", metavar="DURATION", help="90m, PT1H30M: so long before now.")
@click.option("--from-file", metavar="FILE", help="CSV: topic,partition,offset.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show the new offsets.")
@connected
def reset(
    target: Target,
    name: str,
    topics: tuple[str, ...],
    to_earliest: bool,
    to_latest: bool,
    to_current: bool,
    to_offset: int | None,
    shift_by: int | None,
    to_datetime: str | None,
    by_duration: str | None,
    from_file: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Set the offsets of a group that has no members, for some topics or for all that it has committed."""
    from ottla.cli.confirmation import confirm
    from ottla.cli.offset_reset import ResetTo, committed_partitions, plan_reset
    from ottla.cli.partition_names import resolve_partitions
    from ottla.cli.times import parse_duration_ms, parse_time_ms

    to = ResetTo(
        earliest=to_earliest,
        latest=to_latest,
        current=to_current,
        offset=to_offset,
        shift_by=shift_by,
        time_ms=None if to_datetime is None else parse_time_ms(to_datetime),
        duration_ms=None if by_duration is None else parse_duration_ms(by_duration),
        file=from_file,
    )
    if to.count() != 1:
        raise click.UsageError("where to? Give exactly one of the --to-..., --shift-by, --by-duration and --from-file")
    with target.admin() as admin:
        state = admin.describe_groups([name])[name].state
        if state not in _IDLE:
            raise OperatorError(f"group {name} is {state}: stop its consumers first")
        partitions = resolve_partitions(admin, topics) if topics else committed_partitions(admin, name)
        if not partitions and from_file is None:
            raise OperatorError(f"group {name} has committed nothing: name the topics")
        planned = plan_reset(admin, name, partitions, to)
        before = admin.list_group_offsets(name)
        rows = [(name, *one, before[one].offset if one in before else None, planned[one]) for one in sorted(planned)]
        if not dry_run:
            confirm(f"Set {len(planned)} offsets of {name}?", yes)
            admin.alter_group_offsets(name, planned).check()
    print_rows(target.format, ["group", "topic", "partition", "old_offset", "new_offset"], rows)


@groups.command()
@click.argument("names", nargs=-1, required=True, metavar="GROUP...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
@connected
def delete(target: Target, names: tuple[str, ...], yes: bool, dry_run: bool) -> None:
    """Delete groups that have no members, with their offsets."""
    from ottla.cli.confirmation import confirm

    with target.admin() as admin:
        counts = {name: len(admin.list_group_offsets(_existing(admin, name).group_id)) for name in names}
        if target.format is Format.TABLE:
            for name, count in counts.items():
                note(f"{name}: {count} offsets")
        if not dry_run:
            confirm(f"Delete {len(names)} groups with their offsets?", yes)
            admin.delete_groups(names).check()
    print_outcomes(
        target.format,
        "group",
        [(name, "would be deleted" if dry_run else "deleted") for name in counts],
        offsets=list(counts.values()),
    )


def _existing(admin: "Admin", name: str) -> "GroupDescription":
    from ottla.errors.kafka import GroupIdNotFoundError

    described = admin.describe_groups([name])[name]
    if described.state == "Dead":
        raise GroupIdNotFoundError(f"there is no group {name}")
    return described


def _print_members(target: Target, described: "list[GroupDescription]") -> None:
    rows = [
        (group.group_id, member.member_id, member.group_instance_id, member.client_host.lstrip("/"), member.client_id,
         len(member.assignment), [str(one) for one in sorted(member.assignment)])
        for group in described
        for member in group.members
    ]  # fmt: skip
    columns = ["group", "member", "instance", "host", "client_id", "partitions", "assignment"]
    print_rows(target.format, columns, rows)


def _print_offsets(target: Target, admin: "Admin", described: "list[GroupDescription]") -> None:
    from ottla.cli.group_lag import lag_seconds, partition_lags

    rows: list[tuple[Any, ...]] = []
    with target.consumer(enable_auto_commit=False) as consumer:
        for group in described:
            lags = partition_lags(admin, group)
            seconds = lag_seconds(consumer, lags)
            rows += [
                (group.group_id, *row.partition, row.current_offset, row.log_end_offset, row.lag,
                 seconds[row.partition], row.member.client_id if row.member else None,
                 row.member.client_host.lstrip("/") if row.member else None)
                for row in lags
            ]  # fmt: skip
    columns = [
        "group", "topic", "partition", "current_offset", "log_end_offset", "lag", "lag_seconds", "client_id", "host",
    ]  # fmt: skip
    print_rows(target.format, columns, rows)
