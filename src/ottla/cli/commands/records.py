"""`ottla records delete`: deletes the records before an offset."""

import click

from ottla.cli.connection import Target, connected
from ottla.cli.output import print_rows


@click.group()
def records() -> None:
    """Delete records before an offset."""


@records.command()
@click.argument("names", nargs=-1, required=True, metavar="TOPIC[:PARTITIONS]...")
@click.option("--before", required=True, metavar="OFFSET|end|TIME", help="Everything below goes. `end`: everything.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Only show what would be deleted.")
@connected
def delete(target: Target, names: tuple[str, ...], before: str, yes: bool, dry_run: bool) -> None:
    """Delete the records of partitions below an offset, or older than a date."""
    from ottla.cli.confirmation import confirm
    from ottla.cli.partition_names import resolve_partitions
    from ottla.cli.times import parse_time_ms
    from ottla.clients.admin.types import OffsetSpec

    with target.admin() as admin:
        partitions = resolve_partitions(admin, names)
        first = admin.list_offsets(dict.fromkeys(partitions, OffsetSpec.EARLIEST)).check()
        end = admin.list_offsets(dict.fromkeys(partitions, OffsetSpec.LATEST)).check()
        if before == "end":
            wanted = {one: end[one].offset for one in partitions}
        elif before.isdigit():
            wanted = dict.fromkeys(partitions, int(before))
        else:
            found = admin.list_offsets(dict.fromkeys(partitions, parse_time_ms(before))).check()
            wanted = {one: found[one].offset if found[one].offset >= 0 else end[one].offset for one in partitions}
        rows = [(*one, first[one].offset, max(first[one].offset, wanted[one]),
                 max(0, wanted[one] - first[one].offset)) for one in partitions]  # fmt: skip
        if not dry_run:
            confirm(f"Delete {sum(row[-1] for row in rows)} records?", yes)
            admin.delete_records(wanted).check()
    print_rows(target.format, ["topic", "partition", "log_start_offset", "new_log_start_offset", "deleted"], rows)
