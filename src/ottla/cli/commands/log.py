"""`ottla log dump|verify|adopt`: log directories and segment files, with no broker around."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from ottla.cli.output import Format, note, print_objects, print_rows
from ottla.errors.tree import OperatorError, OttlaError


class DamagedLogError(OttlaError):
    """A check of log files found something."""


class Verified(NamedTuple):
    """A segment file, every batch of it checked as recovery would. `next_offset` is where its sound part ends."""

    file: str
    bytes: int
    batches: int
    first_offset: int | None
    next_offset: int | None
    problem: str | None


@click.group()
def log() -> None:
    """Look into log files, check them, take over log directories."""


def _format_option(command: Any) -> Any:
    return click.option(
        "--format", "form", type=click.Choice([form.value for form in Format]), default="table", help="How to print."
    )(command)


@log.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE|PARTITION-DIRECTORY...")
@click.option("--records", is_flag=True, help="A line for every record, not for every batch.")
@_format_option
def dump(paths: tuple[str, ...], records: bool, form: str) -> None:
    """The batches or records of segment files. `ottla kafka-dump-log` prints them as Kafka does, indexes too."""
    if records:
        from ottla.cli.record_fields import RECORD_COLUMNS

        found = (record for path in _segments(paths) for record in _records(path))
        print_objects(Format(form), ["offset", "timestamp", *RECORD_COLUMNS], found)
    else:
        columns = [
            "base_offset", "last_offset", "count", "position", "size", "max_timestamp", "codec", "leader_epoch",
            "producer_id", "producer_epoch", "base_sequence", "transactional", "control", "problem",
        ]  # fmt: skip
        print_rows(Format(form), columns, (row for path in _segments(paths) for row in _batches(path)))


@log.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIRECTORY...")
@_format_option
def verify(paths: tuple[str, ...], form: str) -> None:
    """Check every batch of segment files: lengths, checksums, offsets. Ends with 1 when something is wrong.

    A directory is searched for partitions. Nothing is changed.
    """
    from ottla.cli.progress import progress

    segments = list(_segments(paths))
    rows = []
    with progress(sum(os.path.getsize(path) for path in segments), "reading") as bar:
        for path in segments:
            rows.append(_verify(path))
            bar.update(os.path.getsize(path))
    print_rows(Format(form), ["file", "bytes", "batches", "first_offset", "next_offset", "problem"], rows)
    problems = [row for row in rows if row.problem is not None]
    if problems:
        raise DamagedLogError(f"{len(problems)} of {len(rows)} files have a problem")
    if Format(form) is Format.TABLE:
        note(f"{len(rows)} files, {sum(row.bytes for row in rows)} bytes, all sound")


@log.command()
@click.argument("directories", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False), metavar="DIR...")
@click.option("--zookeeper", metavar="HOST:PORT", help="Without it: the embedded one, whose data lies beside DIR.")
@click.option("--broker-id", type=int, help="Whose directories they are, where meta.properties does not say.")
@click.option("--dry-run", is_flag=True, help="Only show what would be registered.")
@_format_option
def adopt(directories: tuple[str, ...], zookeeper: str | None, broker_id: int | None, dry_run: bool, form: str) -> None:
    """Register the topics of log directories in ZooKeeper.

    For directories whose ZooKeeper is lost, or that come from another machine. Stop the broker first. Topics that
    ZooKeeper knows already are left as they are.
    """
    from ottla.broker.adoption import adopt_directories

    adopted = adopt_directories(directories, zookeeper, broker_id, dry_run=dry_run)
    print_rows(Format(form), ["topic", "partitions", "replicas", "leader_epoch", "configs", "outcome"], adopted)
    if Format(form) is Format.TABLE:
        note("topic configurations are not in log directories: these are such that nothing is deleted")


def _segments(paths: tuple[str, ...]) -> Iterator[str]:
    """The log files among the paths and in directories below them, in order."""
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(str(found) for found in Path(path).rglob("*.log"))
        elif os.path.exists(path):
            yield path
        else:
            raise OperatorError(f"there is no {path}")


def _batches(path: str) -> Iterator[list[Any]]:
    from ottla.cli.segment_reading import read_segment

    with read_segment(path) as reading:
        for batch in reading:
            header = batch.header
            yield [
                header.base_offset, header.last_offset, header.records_count, batch.position, header.size_bytes,
                header.max_timestamp, header.compression.name.lower(), header.partition_leader_epoch,
                header.producer_id, header.producer_epoch, header.base_sequence, header.is_transactional,
                header.is_control, batch.problem,
            ]  # fmt: skip
        if reading.problem is not None:
            note(f"{path}: from {reading.end} on: {reading.problem}")


def _records(path: str) -> Iterator[dict[str, Any]]:
    from ottla.cli.record_fields import record_fields
    from ottla.cli.segment_reading import read_segment

    with read_segment(path) as reading:
        for batch in reading:
            for record in batch.records():
                fields = record_fields(record.key, record.value, record.headers)
                yield {"offset": record.offset, "timestamp": record.timestamp} | fields


def _verify(path: str) -> Verified:
    from ottla.disk.system_disk import SystemDisk
    from ottla.storage.segment.segment_files import parse_file_name
    from ottla.storage.segment.segment_scan import SegmentScan

    size = os.path.getsize(path)
    parsed = parse_file_name(os.path.basename(path))
    scan = SegmentScan(SystemDisk(), path, size, parsed[0] if parsed else 0)
    batches, first, following = 0, None, None
    for batch in scan:
        batches += 1
        first = batch.base_offset if first is None else first
        following = batch.last_offset + 1
    problem = None if scan.problem is None else f"at {scan.valid_bytes}: {scan.problem}"
    return Verified(path, size, batches, first, following, problem)
