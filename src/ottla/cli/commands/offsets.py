"""`ottla offsets TOPIC...`: where partitions begin and end, or which offset belongs to a time."""

import click

from ottla.cli.connection import Target, connected
from ottla.cli.output import print_rows


@click.command()
@click.argument("names", nargs=-1, metavar="[TOPIC[:PARTITIONS]]...")
@click.option("--at", metavar="TIME", help="The first record at or after it: milliseconds since 1970 or a date.")
@click.option("--committed", is_flag=True, help="The end that readers of committed transactions see.")
@connected
def offsets(target: Target, names: tuple[str, ...], at: str | None, committed: bool) -> None:
    """First and next offsets of partitions, or those at a time."""
    from ottla.cli.partition_names import resolve_partitions
    from ottla.cli.times import parse_time_ms
    from ottla.clients.admin.types import OffsetSpec

    time_ms = None if at is None else parse_time_ms(at)
    with target.admin() as admin:
        partitions = resolve_partitions(admin, names or sorted(admin.list_topics()))
        if time_ms is not None:
            found = admin.list_offsets(dict.fromkeys(partitions, time_ms)).check()
            rows = [(*one, *((at.offset, at.timestamp) if at.offset >= 0 else (None, None)))
                    for one, at in sorted(found.items())]  # fmt: skip
            print_rows(target.format, ["topic", "partition", "offset", "timestamp"], rows)
            return
        first = admin.list_offsets(dict.fromkeys(partitions, OffsetSpec.EARLIEST)).check()
        end = admin.list_offsets(dict.fromkeys(partitions, OffsetSpec.LATEST), read_committed=committed).check()
    rows = [
        (*one, first[one].offset, end[one].offset, end[one].offset - first[one].offset) for one in sorted(partitions)
    ]
    print_rows(target.format, ["topic", "partition", "earliest", "latest", "messages"], rows)
