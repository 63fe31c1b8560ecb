"""`ottla load --compact`: small files of a table joined, in one commit, and what failed loads left behind removed.

Offsets stay as they are. A load that commits meanwhile wins, or loses, as two loads do.
"""

from dataclasses import dataclass, replace

from ottla.spark.loader.errors import TableLayoutError
from ottla.spark.loader.load_round import rewrite, rewrite_job
from ottla.spark.loader.rewriting import plan_compaction
from ottla.spark.loader.scheduler import Scheduler
from ottla.spark.loader.settings import LoadSettings
from ottla.spark.loader.tables.table import Table, TableChange


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionReport:
    version: int
    files_before: int
    files_after: int
    rows: int
    orphans_removed: int = 0


def compact(settings: LoadSettings, table: Table, scheduler: Scheduler, *, dry_run: bool = False) -> CompactionReport:
    """`settings` give the wanted size and compression; the rest the table knows."""
    if not dry_run:
        table.recover()
    state = table.state(())
    if state.version < 0:
        raise TableLayoutError(f"{table.name}: there is no table to compact")
    groups = plan_compaction(state.files, settings.file_bytes)
    joined = [file for group in groups for file in group]
    before = len(state.files)
    report = CompactionReport(
        version=state.version,
        files_before=before,
        files_after=before - len(joined) + len(groups),
        rows=sum(file.rows for file in joined),
    )
    if dry_run:
        return report
    if groups:
        load_id = table.new_load_id(state)
        job = rewrite_job(settings, table, load_id, state.schema, state.layout.partition_by)
        added = rewrite(scheduler, job, table, groups)
        change = TableChange(load_id=load_id, schema=state.schema, added=tuple(added), removed=tuple(joined))
        report = replace(report, version=table.commit(state, change), files_after=before - len(joined) + len(added))
    return replace(report, orphans_removed=table.clean(thorough=True))
