"""`ottla produce`: sends records from standard input or files, with kcat's options."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ottla.cli.connection import Target, connected
from ottla.cli.interruption import interruptible
from ottla.cli.output import Format, note, print_fields
from ottla.errors.tree import OperatorError

if TYPE_CHECKING:
    from ottla.cli.record_input import InputRecord

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]


@click.command()
@click.argument("topic", required=False, metavar="TOPIC")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, dir_okay=False), metavar="[FILE]...")
@click.option("-t", "topic_option", metavar="TOPIC", help="As the argument.")
@click.option("-p", "partition", type=int, metavar="N", help="To this partition; by the key, or spread, without it.")
@click.option("-k", "key", metavar="KEY", help="The key of all records.")
@click.option("-K", "key_delimiter", metavar="DELIM", help="Key and value stand in one line with this between them.")
@click.option("-D", "delimiter", default=r"\n", metavar="DELIM", help=r"After every record; \n without it.")
@click.option("-H", "headers", multiple=True, metavar="NAME=VALUE", help="A header of all records; may be repeated.")
@click.option("-z", "codec", type=click.Choice(CODECS), help="Compress.")
@click.option("-Z", "empty_is_null", is_flag=True, help="An empty key or value is null.")
@click.option("-l", "by_line", is_flag=True, help="Files hold a record on every line; without it, each is a record.")
@click.option("-J", "as_json", is_flag=True, help="Lines of JSON as `ottla consume -J` prints them.")
@click.option("-c", "count", type=click.IntRange(0), metavar="N", help="Stop after so many records.")
@click.option("-T", "tee", is_flag=True, help="Write the records to standard output too.")
@click.option("-a", "--acks", default="all", help="0, 1 or all.")
@click.option("--dry-run", is_flag=True, help="Read and count, send nothing.")
@connected
def produce(
    target: Target,
    topic: str | None,
    files: tuple[Path, ...],
    topic_option: str | None,
    partition: int | None,
    key: str | None,
    key_delimiter: str | None,
    delimiter: str,
    headers: tuple[str, ...],
    codec: str | None,
    empty_is_null: bool,
    by_line: bool,
    as_json: bool,
    count: int | None,
    tee: bool,
    acks: str,
    dry_run: bool,
) -> None:
    """Send lines of standard input, or of files, as records."""
    from ottla.cli.record_input import JsonInput, PlainInput
    from ottla.cli.record_sending import send_all

    if topic_option is not None:
        files = (Path(topic), *files) if topic is not None else files
        topic = topic_option
    if topic is None:
        raise click.UsageError("which topic? Give its name")
    common = [_header(text) for text in headers]
    reading = JsonInput() if as_json else PlainInput(delimiter, key_delimiter, key, common, empty_is_null)
    with interruptible():
        records = _limited(_records(reading, files, by_line), count)
        if dry_run:
            _tell_count(target.format, topic, sum(1 for _ in records), dry_run=True)
            return
        config = {"acks": acks} | ({"compression_type": codec} if codec else {})
        with target.producer(**config) as producer:
            count = send_all(producer, topic, partition, records, sys.stdout.buffer if tee else None)
        if not tee:
            _tell_count(target.format, topic, count)


def _tell_count(form: Format, topic: str, count: int, *, dry_run: bool = False) -> None:
    """People only want to know of what is not sent."""
    if form is not Format.TABLE:
        print_fields(form, {"topic": topic, "records": count, "outcome": "would be sent" if dry_run else "sent"})
    elif dry_run:
        note(f"{count} records would be sent to {topic}")


def _header(text: str) -> tuple[str, bytes]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise OperatorError(f"-H {text}: a header is written NAME=VALUE")
    return name, value.encode()


def _records(reading: "object", files: tuple[Path, ...], by_line: bool) -> "Iterator[InputRecord]":
    from ottla.cli.progress import progress
    from ottla.cli.record_input import JsonInput, PlainInput

    assert isinstance(reading, JsonInput | PlainInput)
    if not files:
        yield from reading.records(sys.stdin.buffer)
        return
    with progress(sum(path.stat().st_size for path in files if path.exists()), "sending") as bar:
        for path in files:
            with _open(path) as file:
                if by_line or isinstance(reading, JsonInput):
                    yield from reading.records(file)
                else:
                    yield reading.record(file.read())
            bar.update(path.stat().st_size)


def _open(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error


def _limited(records: "Iterator[InputRecord]", count: int | None) -> "Iterator[InputRecord]":
    for number, record in enumerate(records):
        if number == count:
            return
        yield record
