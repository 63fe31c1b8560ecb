"""`ottla consume`: writes records to standard output, with kcat's options."""

import contextlib
import dataclasses
import itertools
import sys
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from ottla.cli.connection import Target, connected
from ottla.cli.interruption import interruptible

if TYPE_CHECKING:
    from ottla import Consumer
    from ottla.cli.start_position import Span
    from ottla.clients.consumer.record import ConsumerRecord

_POLL_MS = 200


@click.command()
@click.argument("topics", nargs=-1, metavar="TOPIC...")
@click.option("-t", "more_topics", multiple=True, metavar="TOPIC", help="As the argument.")
@click.option("-p", "partitions", multiple=True, type=int, metavar="N", help="Only this partition; may be repeated.")
@click.option("-o", "offsets", multiple=True, metavar="OFFSET",
              help="beginning, end, stored, N, -N (from the end), s@TIME, e@TIME.")  # fmt: skip
@click.option("-e", "until_end", is_flag=True, help="Stop at the end of the partitions.")
@click.option("-c", "count", type=click.IntRange(0), metavar="N", help="Stop after so many records.")
@click.option("-f", "template", metavar="FORMAT", help=r"For example '%t %p %o %k %s\n'.")
@click.option("-J", "as_json", is_flag=True, help="A line of JSON for every record.")
@click.option("-K", "key_delimiter", metavar="DELIM", help="Print the key and this before the value.")
@click.option("-D", "delimiter", default=r"\n", metavar="DELIM", help=r"After every record; \n without it.")
@click.option("-Z", "show_null", is_flag=True, help="Print NULL for what is null.")
@click.option("-G", "group", metavar="GROUP", help="As a member of a group, which commits what was read.")
@click.option("-u", "unbuffered", is_flag=True, help="Write every record at once.")
@click.option("-q", "quiet", is_flag=True, help="Say nothing on standard error.")
@connected
def consume(
    target: Target,
    topics: tuple[str, ...],
    more_topics: tuple[str, ...],
    partitions: tuple[int, ...],
    offsets: tuple[str, ...],
    until_end: bool,
    count: int | None,
    template: str | None,
    as_json: bool,
    key_delimiter: str | None,
    delimiter: str,
    show_null: bool,
    group: str | None,
    unbuffered: bool,
    quiet: bool,
) -> None:
    """Write the records of topics to standard output, from the beginning on, and go on with what comes."""
    from ottla.cli.record_format import compile_format, json_writer, plain_writer
    from ottla.cli.start_position import check_group, parse_span

    names = topics + more_topics
    if not names:
        raise click.UsageError("which topic? Give its name")
    target = dataclasses.replace(target, quiet=quiet)
    span = parse_span(offsets)
    check_group(span, group, target.properties.get("group.id"))
    if template is not None:
        write = compile_format(template)
    else:
        write = json_writer if as_json else plain_writer(key_delimiter, delimiter, "NULL" if show_null else None)
    with interruptible(), target.consumer(**_config(group, span)) as consumer:
        found = (
            _read_as_member(consumer, names, until_end) if group else
            _read_partitions(target, consumer, names, partitions, span, until_end)
        )  # fmt: skip
        with contextlib.closing(found):
            written = _write(target, _limited(found, count), write, unbuffered or sys.stdout.isatty())
    if not quiet and sys.stderr.isatty():
        click.echo(f"% {written} records", err=True)


def _config(group: str | None, span: "Span") -> dict[str, object]:
    if group is None:
        return {"enable_auto_commit": False}
    return {"group_id": group, "auto_offset_reset": "latest" if span.begin == "end" else "earliest"}


def _read_partitions(
    target: Target, consumer: "Consumer", names: Sequence[str], numbers: Sequence[int], span: "Span", until_end: bool
) -> "Generator[ConsumerRecord, None, None]":
    """Of the assigned partitions, to the ends that the span has, or for ever."""
    from ottla.cli.partition_names import resolve_partitions
    from ottla.cli.start_position import end_offsets, seek

    wanted = [f"{name}:{','.join(map(str, numbers))}" if numbers and ":" not in name else name for name in names]
    with target.admin() as admin:
        partitions = resolve_partitions(admin, wanted)
    consumer.assign(partitions)
    seek(consumer, partitions, span)
    ends = end_offsets(consumer, partitions, span, until_end)
    if ends is None:
        while True:
            yield from consumer.poll(_POLL_MS)
    left = {partition for partition in partitions if consumer.position(partition) < ends[partition]}
    while left:
        for record in consumer.poll(_POLL_MS):
            if record.offset < ends[record.topic_partition]:
                yield record
        # A marker or a compacted record at the end moves the position and gives no record.
        left = {partition for partition in left if consumer.position(partition) < ends[partition]}


def _read_as_member(
    consumer: "Consumer", names: Sequence[str], until_end: bool
) -> "Generator[ConsumerRecord, None, None]":
    """As a member of a group; its end is reached when nothing assigned has any lag."""
    from ottla.cli.uncommitted_records import give_back

    consumer.subscribe(names)
    while True:
        records = consumer.poll(_POLL_MS)
        left = iter(records)
        try:
            yield from left
        finally:
            give_back(consumer, list(left))
        assigned = consumer.assignment()
        if until_end and not records and assigned and all(consumer.lag(partition) == 0 for partition in assigned):
            return


def _limited(records: "Iterator[ConsumerRecord]", count: int | None) -> "Iterator[ConsumerRecord]":
    if count is None:
        yield from records
        return
    for _ in range(count):
        record = next(records, None)
        if record is None:
            return
        yield record


def _write(target: Target, records: "Iterator[ConsumerRecord]", write: object, unbuffered: bool) -> int:
    from ottla.cli.output import Format, print_objects
    from ottla.cli.record_fields import RECORD_COLUMNS, record_fields

    written = 0
    if target.format is not Format.TABLE:
        numbers = itertools.count(1)
        objects = (
            {"topic": record.topic, "partition": record.partition, "offset": record.offset,
             "timestamp": record.timestamp} | record_fields(record.key, record.value, record.headers)
            for record, _number in zip(records, numbers, strict=False)
        )  # fmt: skip
        print_objects(target.format, ["topic", "partition", "offset", "timestamp", *RECORD_COLUMNS], objects)
        return next(numbers) - 1
    assert callable(write)
    output = sys.stdout.buffer
    with contextlib.suppress(KeyboardInterrupt):
        for record in records:
            output.write(write(record))
            written += 1
            if unbuffered:
                output.flush()
    output.flush()
    return written
