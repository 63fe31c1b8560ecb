"""When a snapshot is written, and how: piece by piece on the event loop, its fsync in a thread.

One is due after `snapCount` transactions, or half as many as there are nodes if that is more, so that writing snapshots
never costs much more than the transactions did; or when many starts of the server left many small logs.
"""

import asyncio
import logging
from collections.abc import Callable

from ottla.coordination.embedded.database import Database
from ottla.coordination.embedded.store import SnapshotWriter, Store
from ottla.errors import LogDirError
from ottla.errors.kafka import KafkaStorageError

logger = logging.getLogger(__name__)

LOG_FILES_MAX = 16
REPLAY_AT_START_MAX = 2000


class Snapshots:
    def __init__(self, store: Store, database: Database, snap_count: int, on_failure: Callable[[BaseException], None]):
        self._store = store
        self._database = database
        self._snap_count = snap_count
        self._on_failure = on_failure
        self._since_last = snap_count if store.log_files_count() > LOG_FILES_MAX else 0
        self._task: asyncio.Task[None] | None = None

    def count_transaction(self) -> None:
        self._since_last += 1
        if self._task is None and self._since_last > max(self._snap_count, len(self._database.tree.nodes) // 2):
            self._task = asyncio.get_running_loop().create_task(self._write())
            self._task.add_done_callback(self._task_done)

    async def stop(self, *, write_last: bool) -> None:
        """Finish what is being written; a last snapshot if replaying the log would take a while."""
        if self._task is not None:
            await asyncio.wait([self._task])
        if write_last and self._since_last > REPLAY_AT_START_MAX:
            await self._write()

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and task.exception() is not None:
            raise task.exception()  # type: ignore[misc]  # our own bug: the loop's handler logs it

    async def _write(self) -> None:
        """Write one snapshot. Without room for it the log simply grows on, until the next is due."""
        self._since_last = 0
        try:
            await self._write_pieces(self._store.begin_snapshot(self._database.view()))
        except KafkaStorageError as error:
            logger.error("No room for a snapshot, trying again later: %s", error)
        except LogDirError as error:
            self._on_failure(error)

    async def _write_pieces(self, writer: SnapshotWriter) -> None:
        try:
            for _ in writer.write():
                await asyncio.sleep(0)
            await asyncio.to_thread(writer.finish)
        except KafkaStorageError:
            writer.abandon()
            raise
        await asyncio.to_thread(self._store.purge)
