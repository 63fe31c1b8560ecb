"""A load: plan, tasks, one commit; again while there is more than one commit should hold.

    table                      driver                               tasks (Spark)
    offsets, schema  ────────► plan: ranges up to the ends ───────► each range to Parquet files
                     ◄──────── one commit: files and offsets ◄───── their names

The offsets are nowhere but in the table, in the commit that brought the records: killed at any point, the table holds
what its last commit says, and the next load goes on from there.
"""

import time
from collections.abc import Callable

from ottla.spark.loader.errors import CommitConflictError, TableLayoutError
from ottla.spark.loader.load_round import LoadRound
from ottla.spark.loader.plan import Offsets, Plan, plan_load
from ottla.spark.loader.report import LoadReport
from ottla.spark.loader.scheduler import Scheduler, TaskFailedError
from ottla.spark.loader.settings import LoadSettings
from ottla.spark.loader.tables.table import Table, TableState
from ottla.spark.offsets import ClusterOffsets
from ottla.spark.options import ClientOptions


class Loader:
    """`on_rows` hears of rows that were written, while they are."""

    def __init__(
        self,
        settings: LoadSettings,
        table: Table,
        scheduler: Scheduler,
        on_rows: Callable[[int], None] = lambda rows: None,
    ) -> None:
        self._settings = settings
        self._table = table
        self._scheduler = scheduler
        self.on_rows = on_rows

    def plan(self) -> Plan:
        """What a load would read now. Changes nothing."""
        return self._plan()[1]

    def load(self) -> LoadReport:
        """Up to the ends as they are when it begins, in one commit or, with `records_max`, in several."""
        report = LoadReport()
        began = time.monotonic()
        goal = self._plan()[1].ends
        while True:
            self._table.recover()
            state, plan = self._plan(goal)
            if not plan.next_offsets:
                break
            self._load_ranges(state, plan, report)
        report.seconds = time.monotonic() - began
        return report

    def _plan(self, goal: Offsets | None = None) -> tuple[TableState, Plan]:
        settings = self._settings
        with ClusterOffsets(ClientOptions(settings.client)) as cluster:
            partitions = cluster.partitions(settings.topics)
            latest = cluster.latest(partitions)
            if goal is not None:
                latest = {partition: min(end, goal.get(partition, end)) for partition, end in latest.items()}
            state = self._table.state(partitions)
            check_layout(state, settings)
            plan = plan_load(
                state.offsets,
                cluster.earliest(partitions),
                latest,
                allow_gaps=settings.allow_gaps,
                records_max=settings.records_max,
            )
        return state, plan

    def _load_ranges(self, state: TableState, plan: Plan, report: LoadReport) -> None:
        work = LoadRound(self._settings, self._table, self._scheduler, state)
        try:
            change, results = work.run(plan, self.on_rows)
            version = self._table.commit(state, change)
        except TaskFailedError as error:
            self._check_conflict(state, error)
            raise
        finally:
            work.discard_scratch()
        self._table.clean()
        report.note(plan, results, version)

    def _check_conflict(self, state: TableState, error: TaskFailedError) -> None:
        """Another load that was committed meanwhile may have taken away the files of ours: that is what to say then."""
        if self._table.state(()).version != state.version:
            raise CommitConflictError(f"another load of {self._table.name} was committed first") from error


def check_layout(state: TableState, settings: LoadSettings) -> None:
    found, wanted = state.layout.as_json(), settings.layout.as_json()
    for name, value in found.items():
        if state.version >= 0 and value != wanted[name]:
            raise TableLayoutError(f"the table was made with {name} {value}, not {wanted[name]}")
