"""One fsync for all transactions that wait for one.

Transactions are appended as they come; at the end of the loop's turn a thread syncs what there is, and whatever arrives
meanwhile is covered by the next round. At most one sync runs at a time. A sync that fails is never tried again: the
kernel may have dropped the pages, so that a second one would succeed and prove nothing.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ottla.coordination.embedded.txn_codec import LoggedTxn
from ottla.coordination.embedded.txn_log import TxnLog, Unsynced
from ottla.errors import LogDirError


class GroupCommit:
    """`durable_zxid` is the promise: every transaction up to it survives a crash. `written_zxid` runs ahead of it."""

    def __init__(
        self,
        log: TxnLog,
        executor: ThreadPoolExecutor,
        *,
        durable_zxid: int,
        on_durable: Callable[[int], None],
        on_failure: Callable[[BaseException], None],
        force_sync: bool = True,
    ) -> None:
        self.durable_zxid = durable_zxid
        self.written_zxid = durable_zxid
        self._log = log
        self._executor = executor
        self._on_durable = on_durable
        self._on_failure = on_failure
        self._force_sync = force_sync
        self._running = False
        self._failed = False
        self._idle = asyncio.Event()
        self._idle.set()
        self._loop = asyncio.get_running_loop()

    def append(self, logged: LoggedTxn) -> None:
        """Write a transaction and see to it that it becomes durable."""
        if self._failed:
            raise LogDirError("the transaction log", "a sync failed, nothing more is written")
        self._log.append(logged, self.durable_zxid if self._force_sync else 0)
        self.written_zxid = logged.zxid
        if not self._running:
            self._running = True
            self._idle.clear()
            self._loop.call_soon(self._start_round)

    async def wait_until_durable(self) -> None:
        """Until nothing is left to sync, or until a sync has failed."""
        await self._idle.wait()

    def _start_round(self) -> None:
        unsynced, covered_zxid = self._log.take_unsynced(), self.written_zxid
        if not self._force_sync:
            self._round_done(unsynced, covered_zxid, None)
            return
        future = self._loop.run_in_executor(self._executor, self._log.sync, unsynced)
        future.add_done_callback(lambda done: self._round_done(unsynced, covered_zxid, done.exception()))

    def _round_done(self, unsynced: Unsynced, covered_zxid: int, error: BaseException | None) -> None:
        self._log.synced(unsynced)
        if error is not None:
            self._failed = True
            self._idle.set()
            self._on_failure(error)
            return
        self.durable_zxid = covered_zxid
        self._on_durable(covered_zxid)
        if self.written_zxid > covered_zxid:
            self._start_round()
        else:
            self._running = False
            self._idle.set()
