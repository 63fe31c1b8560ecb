"""`ottla load TOPIC... --to parquet:PATH`: topics to tables, each record exactly once. docs/load.md explains it."""

import importlib.util

import click

from ottla.cli.connection import Target, connected, parse_property
from ottla.cli.interruption import interruptible
from ottla.errors.tree import OperatorError

_MB = 1024 * 1024
_CODECS = ["snappy", "zstd", "lz4", "gzip", "none"]


@click.command()
@click.argument("topics", nargs=-1, metavar="TOPIC...")
@click.option("--to", "table_name", required=True, metavar="FORMAT:PATH",
              help="parquet:DIRECTORY, delta:DIRECTORY or iceberg:DIRECTORY/NAMESPACE.TABLE.")  # fmt: skip
@click.option("--mode", type=click.Choice(["append", "upsert"]), default="append", show_default=True,
              help="Every record a row, or the last record of every key (a null value deletes).")  # fmt: skip
@click.option("--schema", "columns", default="raw", show_default=True, metavar="raw|json|DDL",
              help="Kafka's columns, fields of JSON as they come, or e.g. 'id long, name string'.")  # fmt: skip
@click.option("--headers", is_flag=True, help="With a column of the records' headers (raw).")
@click.option("--partition-by", multiple=True, metavar="day|hour|COLUMN", help="Folders of the table; may be repeated.")
@click.option("--dead-letter", metavar="TOPIC", help="Where records go that do not fit; without it they stop the load.")
@click.option("--file-size", type=float, default=128, show_default=True, metavar="MB", help="Size of files.")
@click.option("--compression", type=click.Choice(_CODECS), default="snappy", show_default=True, help="Of the files.")
@click.option("--max-records", type=click.IntRange(1), metavar="N", help="Commit after so many records, and go on.")
@click.option("--allow-gaps", is_flag=True, help="Go on where records were deleted before they were loaded.")
@click.option("--continuous", is_flag=True, help="Go on with what comes, until it is stopped.")
@click.option("--interval", type=float, default=10, show_default=True, metavar="SECONDS", help="With --continuous.")
@click.option("--compact", is_flag=True, help="Join small files of the table; loads nothing.")
@click.option("--catalog", multiple=True, metavar="KEY=VALUE", help="A property of Iceberg's catalog; may be repeated.")
@click.option("--master", default="local[*]", show_default=True, help="Spark's master.")
@click.option("--conf", multiple=True, metavar="KEY=VALUE", help="A setting of Spark; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Only show what would be loaded.")
@connected
def load(
    target: Target,
    topics: tuple[str, ...],
    table_name: str,
    mode: str,
    columns: str,
    headers: bool,
    partition_by: tuple[str, ...],
    dead_letter: str | None,
    file_size: float,
    compression: str,
    max_records: int | None,
    allow_gaps: bool,
    continuous: bool,
    interval: float,
    compact: bool,
    catalog: tuple[str, ...],
    master: str,
    conf: tuple[str, ...],
    dry_run: bool,
) -> None:
    """Load topics into a table: from where the table ends to the ends of the topics."""
    if bool(topics) == compact:
        raise click.UsageError("--compact loads nothing: name no topic" if compact else "which topic? Give its name")
    require_packages()
    from ottla.cli.load_run import LoadRun, load_settings

    settings = load_settings(
        topics,
        {} if compact else target.settings("consumer", isolation_level="read_committed"),
        producer=target.settings("producer") if dead_letter else {},
        mode=mode,
        columns=columns,
        headers=headers,
        partition_by=partition_by,
        dead_letter_topic=dead_letter,
        file_bytes=int(file_size * _MB),
        compression=compression,
        records_max=max_records,
        allow_gaps=allow_gaps,
    )
    run = LoadRun(target.format, settings, table_name, dict(map(parse_property, catalog)))
    if dry_run:
        run.compact(dry_run=True) if compact else run.show_plan()
        return
    done = continuous
    with interruptible(), run.spark(master, dict(map(parse_property, conf))):
        if continuous:
            run.load_for_ever(interval)
        run.compact() if compact else run.load()
        done = True
    if not done:
        raise click.Abort  # interrupted, and whoever called has to know that not all is loaded


def require_packages() -> None:
    for package in ("pyarrow", "pyspark"):
        if importlib.util.find_spec(package) is None:
            raise OperatorError(f"`ottla load` needs {package}: pip install 'ottla[spark]'")
