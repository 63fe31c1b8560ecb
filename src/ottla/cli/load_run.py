"""One call of `ottla load`: the settings from its options, progress while it runs, and what it prints."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from ottla.cli.output import Format, note, print_fields, print_rows
from ottla.cli.progress import progress
from ottla.errors.tree import ConfigError, OperatorError, OttlaError
from ottla.spark.loader.compaction import compact
from ottla.spark.loader.load import Loader
from ottla.spark.loader.report import LoadReport
from ottla.spark.loader.scheduler import SparkScheduler
from ottla.spark.loader.settings import BUCKETS_DEFAULT, JSON, RAW, UPSERT, LoadSettings, TableLayout
from ottla.spark.loader.tables.opening import open_table

_COLUMNS = ["topic", "partition", "start", "end", "rows", "bytes", "bad_records", "lag"]
_MB = 1024 * 1024


def load_settings(
    topics: tuple[str, ...],
    client: Mapping[str, str],
    *,
    mode: str,
    columns: str,
    headers: bool,
    partition_by: tuple[str, ...],
    **others: Any,
) -> LoadSettings:
    kind = RAW if columns == RAW else JSON
    if mode == UPSERT and partition_by:
        raise ConfigError("--mode upsert divides a table by keys, so there is no --partition-by with it")
    if mode == UPSERT and len(topics) > 1:
        raise ConfigError("--mode upsert is for one topic: keys of two would be one")
    if others["dead_letter_topic"] in topics:
        raise ConfigError("--dead-letter is a topic that is loaded: its records would come back for ever")
    if headers and kind == JSON:
        raise ConfigError("--headers goes with --schema raw")
    layout = TableLayout(
        mode=mode,
        columns=kind,
        headers=headers,
        partition_by=partition_by,
        buckets=BUCKETS_DEFAULT if mode == UPSERT else 0,
    )
    given = columns if columns not in (RAW, JSON) else None
    return LoadSettings(topics=topics, client=client, layout=layout, given_schema=given, **others)


class LoadRun:
    def __init__(self, form: Format, settings: LoadSettings, table_name: str, catalog: Mapping[str, str]) -> None:
        self._format = form
        self._settings = settings
        self._table = open_table(table_name, settings.layout, catalog)
        self._scheduler = SparkScheduler()

    @contextmanager
    def spark(self, master: str, conf: Mapping[str, str]) -> Iterator[None]:
        self._scheduler = SparkScheduler(master, conf)
        try:
            yield
        finally:
            self._scheduler.close()

    def show_plan(self) -> None:
        plan = self._loader().plan()
        rows = [(*wanted, wanted.size) for wanted in plan.ranges]
        print_rows(self._format, ["topic", "partition", "start", "end", "offsets"], rows)
        for gap in plan.gaps:
            note(f"{gap}: these records are gone")
        note(f"{plan.size} offsets would be loaded into {self._table.name}")

    def load(self) -> None:
        report = self._load_once()
        print_rows(self._format, _COLUMNS, _rows(report))
        note(_summary(report, self._table.name))

    def load_for_ever(self, interval_seconds: float) -> None:
        """A round every so many seconds; the time that a round takes counts. What a person has to put right ends it;
        what passes (a broker that is away, another load that was quicker) is told, and tried again."""
        while True:
            began = time.monotonic()
            try:
                report = self._load_once()
                if report.commits:
                    note(_summary(report, self._table.name))
            except OperatorError:
                raise
            except OttlaError as error:
                note(f"{self._table.name}: {error}; trying again")
            pause(max(0.0, interval_seconds - (time.monotonic() - began)))

    def compact(self, *, dry_run: bool = False) -> None:
        report = compact(self._settings, self._table, self._scheduler, dry_run=dry_run)
        print_fields(self._format, asdict(report))

    def _load_once(self) -> LoadReport:
        loader = self._loader()
        with progress(loader.plan().size, "loading") as bar:
            loader.on_rows = bar.update
            return loader.load()

    def _loader(self) -> Loader:
        return Loader(self._settings, self._table, self._scheduler)


def pause(seconds: float) -> None:
    """Between two rounds."""
    time.sleep(seconds)


def _rows(report: LoadReport) -> list[tuple[Any, ...]]:
    return [
        (*partition, found.start, found.end, found.rows, found.bytes, found.bad_records, found.lag)
        for partition, found in sorted(report.partitions.items())
    ]


def _summary(report: LoadReport, table: str) -> str:
    if not report.commits:
        return f"{table}: nothing new"
    text = (
        f"{table}: {report.rows} rows, {report.bytes / _MB:.1f} MB in {report.files} files, "
        f"version {report.version}, {report.seconds:.1f} s"
    )
    if report.bad_records:
        text += f"; {report.bad_records} bad records"
    if report.skipped_offsets:
        text += f"; {report.skipped_offsets} offsets were gone"
    return text
