"""When records become durable: closed segments by themselves, others for those who wait (group commit).

By default only closed segments are synced, in the directory's thread; an fdatasync of the file being appended to
would hold up the appends. Who needs more (`flush.messages`, `flush.ms`) asks with `request`, and is called back when
everything below the given offset is on disk. There is one round at a time for each log directory: whatever is asked
for while it runs goes into the next, so that one sync of a file answers all who wait for it. What has more files than
one round may hold open goes on in the next, too.

    round    plan (loop)   which files, how far they reach, what to write beside them; descriptors pinned
             run (thread)  leader epochs, then data, then names
             end (loop)    recovery points move, those who wait are told

A log for which there is no room (for its epochs, or no descriptor) is put off: whoever waits for it goes on waiting,
until `retry` or the next request for it. Whatever else goes wrong ends the directory, when the round ends: never under
the append that asked for the flush.

The recovery point of a log moves when data, epochs and names below it are on disk. The one that is checkpointed
(`checkpoint_point`) stays at or below the base of the first segment whose indexes are not: recovery scans whole
segments, and believes the indexes of those that it does not scan. A sync that failed is never tried again (the kernel
may have dropped the pages); it ends the directory.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ottla.disk.atomic_file import write_atomically
from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors import OttlaError
from ottla.errors.kafka import KafkaStorageError
from ottla.storage.background import Background, Done
from ottla.storage.log import leader_epochs as epoch_file
from ottla.storage.log.partition_directory import PARTITION_METADATA
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.segment import Segment

logger = logging.getLogger(__name__)

# Each keeps a descriptor until the round is over. After a loss of the recovery points all segments want to be in one.
ROUND_FILES_MAX = 256


Waiters = dict[PartitionLog, list[tuple[int, Done]]]


@dataclass(slots=True)
class FlushPlan:
    """One log's part of a round. `end_offset`: what will be durable when it is done; a truncation lowers it.

    `cancelled`: the log was taken away meanwhile, and why.
    """

    log: PartitionLog
    end_offset: int
    epochs: bytes | None
    epochs_version: int
    files: list[tuple[LogFile, int]] = field(default_factory=list)
    closed: list[Segment] = field(default_factory=list)
    is_new: bool = False
    is_partial: bool = False
    cancelled: Exception | None = None
    no_room: KafkaStorageError | None = None

    def pin(self, files: Iterable[LogFile]) -> None:
        for file in files:
            self.files.append((file, file.pin()))


class DirectoryFlusher:
    """All flushing of one log directory. `on_failure` takes it offline, `on_flushed` is told how long a round took."""

    __slots__ = (
        "_background",
        "_closed",
        "_disk_directory",
        "_new",
        "_on_failure",
        "_on_flushed",
        "_put_off",
        "_round",
        "_waiting",
    )

    def __init__(
        self,
        directory: LogDirectory,
        background: Background,
        on_failure: Callable[[Exception], None],
        on_flushed: Callable[[float], None] = lambda milliseconds: None,
    ) -> None:
        # A LogDirectory of its own: the shared one's descriptors belong to the loop.
        self._disk_directory = LogDirectory(directory.path, directory.disk)
        self._background = background
        self._on_failure = on_failure
        self._on_flushed = on_flushed
        self._waiting: Waiters = {}
        self._put_off: Waiters = {}
        self._new: set[PartitionLog] = set()
        self._closed: dict[PartitionLog, list[Segment]] = {}
        self._round: list[FlushPlan] | None = None

    def request(self, log: PartitionLog, up_to_offset: int, done: Done | None = None) -> None:
        """Make everything below `up_to_offset` durable, then call `done` with None, or with what went wrong."""
        if done is not None and up_to_offset <= log.recovery_point:
            done(None)
            return
        waiters = self._waiting.setdefault(log, [])
        waiters += self._put_off.pop(log, ())
        waiters.append((up_to_offset, _nobody if done is None else done))
        self._maybe_start_round()

    def retry(self) -> None:
        """Called every second: there may be room now for what was put off."""
        for log in tuple(self._put_off):
            self.request(log, 0)

    def created(self, log: PartitionLog) -> None:
        """The directory of a new partition is not durable yet: the next round sees to it."""
        self._new.add(log)
        self.request(log, 0, None)

    def segment_closed(self, log: PartitionLog, segment: Segment) -> None:
        """Sync it, whether somebody waits or not: its records may be durable already, its indexes are not."""
        self._closed.setdefault(log, []).append(segment)
        self.request(log, 0, None)

    def checkpoint_point(self, log: PartitionLog) -> int:
        """The recovery point that may be written down while the log is in use."""
        closed = self._closed.get(log)
        first_base = closed[0].base_offset if closed else log.active.base_offset
        return min(log.recovery_point, first_base)

    def segments_deleted(self, log: PartitionLog, segments: Iterable[Segment]) -> None:
        """Nobody needs them on disk any more, and soon their files are gone."""
        self._drop_closed(log, segments)

    def truncated(self, log: PartitionLog, end_offset: int) -> None:
        """What a running round syncs of a log that was cut meanwhile may be other records than those now there."""
        for plan in self._round or ():
            if plan.log is log:
                plan.end_offset = min(plan.end_offset, end_offset)

    def forget(self, log: PartitionLog, error: Exception) -> None:
        """The log is deleted or its directory failed: whoever waits for it is told."""
        self._new.discard(log)
        self._closed.pop(log, None)
        for plan in self._round or ():
            if plan.log is log:
                plan.cancelled = error
        for _, done in [*self._waiting.pop(log, ()), *self._put_off.pop(log, ())]:
            done(error)

    # -- a round ------------------------------------------------------------------------------------------------------

    def _maybe_start_round(self) -> None:
        if self._round is not None or not self._waiting:
            return
        plans: list[FlushPlan] = []
        waiters: Waiters = {}
        failure = self._plan_round(plans, waiters)
        self._round = plans
        started_at = time.monotonic()

        def ended(error: Exception | None) -> None:
            self._on_flushed((time.monotonic() - started_at) * 1000)
            self._end(plans, waiters, error)

        self._background.submit(lambda: self._run(plans, failure), ended)

    def _plan_round(self, plans: list[FlushPlan], waiters: Waiters) -> OttlaError | None:
        """Take from those who wait as many as there is room for. What is returned ends the directory."""
        room = ROUND_FILES_MAX
        while self._waiting and room > 0:
            log = next(iter(self._waiting))
            waiters[log] = self._waiting.pop(log)
            plan = self._new_plan(log, max(offset for offset, _ in waiters[log]))
            plans.append(plan)
            try:
                self._pin_files(plan, room)
            except KafkaStorageError as error:
                plan.no_room = error
                break
            except OttlaError as error:
                return error
            room -= len(plan.files)
        return None

    def _new_plan(self, log: PartitionLog, up_to_offset: int) -> FlushPlan:
        epochs = log.leader_epochs
        reaches_active = up_to_offset > log.active.base_offset
        plan = FlushPlan(
            log,
            log.log_end_offset if reaches_active else log.active.base_offset,
            epochs.encode() if epochs.dirty else None,
            epochs.version,
            is_new=log in self._new,
        )
        self._new.discard(log)
        return plan

    def _pin_files(self, plan: FlushPlan, room: int) -> None:
        """At most `room` files, or those of one segment, from the oldest on."""
        log = plan.log
        unflushed = {*self._closed.get(log, ()), *log.unflushed_segments()}
        for segment in sorted(unflushed, key=lambda segment: segment.base_offset):
            if len(plan.files) >= room:
                plan.end_offset = min(plan.end_offset, segment.base_offset)
                plan.is_partial = True
                break
            if segment is not log.active:
                # Its indexes are final and will not be looked at again by recovery.
                plan.closed.append(segment)
                plan.pin(file for file in segment.files if file.path)
            elif plan.end_offset > segment.base_offset:
                plan.pin([segment.log])

    def _run(self, plans: Iterable[FlushPlan], failure: OttlaError | None) -> None:
        """In the thread. Errors that end the directory are raised, want of room is noted."""
        if failure is not None:
            raise failure
        for plan in plans:
            try:
                self._run_plan(plan)
            except KafkaStorageError as error:
                plan.no_room = error
            except OttlaError:
                if plan.cancelled is None:  # a directory that was renamed under us is no failure
                    raise
        self._sync_names([plan for plan in plans if plan.is_new])

    def _sync_names(self, new: list[FlushPlan]) -> None:
        """Those of partition directories, in the log directory itself."""
        try:
            if new:
                self._disk_directory.sync_directory(self._disk_directory.path)
        except KafkaStorageError as error:
            for plan in new:
                plan.no_room = error

    def _run_plan(self, plan: FlushPlan) -> None:
        """Epochs first: an entry that is too new is put right on load, a missing one is not."""
        if plan.no_room is not None:
            return
        directory, path = self._disk_directory, plan.log.directory
        if plan.epochs is not None:
            write_atomically(directory, os.path.join(path, epoch_file.FILE_NAME), plan.epochs)
        for file, descriptor in plan.files:
            file.sync_descriptor(descriptor)
        if plan.is_new:
            _sync_if_there(directory, os.path.join(path, PARTITION_METADATA))
        if plan.is_new or plan.closed:
            directory.sync_directory(path)

    def _end(self, plans: list[FlushPlan], waiters: Waiters, error: Exception | None) -> None:
        self._round = None
        _unpin(plans)
        if error is not None:
            self._on_failure(error)
        else:
            for plan in plans:
                self._settle(plan, waiters)
            if no_room := [plan.no_room for plan in plans if plan.no_room is not None]:
                logger.warning("the flush of %d partitions is put off: %s", len(no_room), no_room[0])
        for log_waiters in waiters.values():
            for _, done in log_waiters:
                done(error)
        self._maybe_start_round()

    def _settle(self, plan: FlushPlan, waiters: Waiters) -> None:
        """Note what is durable now; whoever waits for more is taken out of `waiters` and goes on waiting."""
        log = plan.log
        if plan.cancelled is not None:
            for _, done in waiters.pop(log):
                done(plan.cancelled)
        elif plan.no_room is not None:
            if plan.is_new:
                self._new.add(log)
            put_off = waiters.pop(log)
            if log in self._waiting:
                self._waiting[log] += put_off
            else:
                self._put_off[log] = put_off
        else:
            log.mark_flushed(plan.end_offset)
            self._drop_closed(log, plan.closed)
            if plan.epochs is not None:
                log.leader_epochs.mark_saved(plan.epochs_version)
            if plan.is_partial:
                self._waiting[log] = waiters.pop(log) + self._waiting.get(log, [])

    def _drop_closed(self, log: PartitionLog, segments: Iterable[Segment]) -> None:
        gone = set(segments)
        left = [segment for segment in self._closed.get(log, ()) if segment not in gone]
        if left:
            self._closed[log] = left
        else:
            self._closed.pop(log, None)


def _sync_if_there(directory: LogDirectory, path: str) -> None:
    """`partition.metadata` is missing where the cluster gives no topic ids."""
    try:
        directory.disk.stat(path)
    except FileNotFoundError:
        return
    file = LogFile.open(path, directory)
    try:
        file.sync()
    finally:
        file.close()


def _unpin(plans: list[FlushPlan]) -> None:
    for plan in plans:
        for file, _ in plan.files:
            file.unpin()
        plan.files.clear()


def _nobody(error: Exception | None) -> None:
    """Nobody waits; a failure has taken the directory offline."""
