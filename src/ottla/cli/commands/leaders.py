"""`ottla leaders elect`: elects the preferred replicas, or with --unclean any that is there."""

import click

from ottla.cli.connection import Target, connected
from ottla.cli.output import print_rows
from ottla.errors.tree import OttlaError


class NotElectedError(OttlaError):
    """An election that was asked for did not come about."""


@click.group()
def leaders() -> None:
    """Elect leaders."""


@leaders.command()
@click.argument("names", nargs=-1, metavar="[TOPIC[:PARTITIONS]]...")
@click.option("--unclean", is_flag=True, help="Let a replica lead that is not in sync: records may be lost.")
@click.option("--yes", is_flag=True, help="Do not ask before an unclean election.")
@click.option("--dry-run", is_flag=True, help="Only show the partitions with another leader than the preferred one.")
@connected
def elect(target: Target, names: tuple[str, ...], unclean: bool, yes: bool, dry_run: bool) -> None:
    """Elect the preferred replica of partitions, of all when none is named."""
    from ottla.cli.confirmation import confirm
    from ottla.cli.partition_names import resolve_partitions
    from ottla.clients.admin.types import ElectionType
    from ottla.errors.kafka import ElectionNotNeededError

    with target.admin() as admin:
        partitions = resolve_partitions(admin, names or sorted(admin.list_topics(include_internal=True)))
        described = admin.describe_topics({one.topic for one in partitions}).check()
        found = {one: described[one.topic].partitions[one.partition] for one in partitions}
        elected = {
            one: found[one] for one in partitions
            if found[one].leader < 0 or (not unclean and found[one].leader != found[one].replicas[0])
        }  # fmt: skip
        if unclean and elected and not dry_run:
            confirm(f"Elect unclean leaders for {len(elected)} partitions? Records may be lost.", yes)
        errors = {}
        if elected and not dry_run:
            kind = ElectionType.UNCLEAN if unclean else ElectionType.PREFERRED
            errors = dict(admin.elect_leaders(kind, elected).errors)
    rows = []
    for one, before in elected.items():
        error = None if isinstance(errors.get(one), ElectionNotNeededError) else errors.get(one)
        outcome = "would be elected" if dry_run else "elected" if error is None else str(error)
        rows.append((*one, before.leader if before.leader >= 0 else None, before.replicas[0], outcome))
    print_rows(target.format, ["topic", "partition", "leader", "preferred", "outcome"], rows)
    failed = sum(row[-1] not in ("elected", "would be elected") for row in rows)
    if failed:
        raise NotElectedError(f"{failed} of {len(rows)} partitions have no new leader")
