"""The data directory of the server: recovery at start, snapshots, purging of what is no longer needed.

    DATADIR/ottla-1/.lock            held while a server uses the directory
    DATADIR/ottla-1/snapshot.<zxid>  whole databases (`snapshot`)
    DATADIR/ottla-1/log.<zxid>       transactions from that one on (`txn_log`)

Recovery takes the newest snapshot that is whole and replays what follows. A log that breaks off in the middle of a
frame was torn by a crash, and what is missing was never acknowledged: it is cut there, and files that begin after the
break are removed. Unless a later transaction says that the missing one was already durable: then the log is damaged,
and the server refuses to start instead of forgetting what it had promised. So does the name of a snapshot that cannot
be read any more. A log that cannot be read from its first byte on says nothing of the kind itself; whoever runs the
server may know better (`Contradiction`), and then it is damage too. Damaged files are left as they are.
"""

import fcntl
import logging
import os
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from ottla.coordination.embedded import snapshot, txn_log
from ottla.coordination.embedded.database import Database, DatabaseView
from ottla.coordination.embedded.framing import UnknownFormatError
from ottla.coordination.embedded.txn_log import ScannedLog, TxnLog, durable_zxid_after
from ottla.disk.atomic_file import TEMPORARY_SUFFIX, read_whole
from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.disk.system_disk import CREATE, SYSTEM_DISK, Disk
from ottla.errors import ConfigError, DecodeError, OperatorError

logger = logging.getLogger(__name__)

SUBDIRECTORY = "ottla-1"
# Given whether a znode was recovered: what must have been there, by what is known from elsewhere, and was not; or None.
Contradiction = Callable[[Callable[[str], bool]], str | None]
_NAME = re.compile(r"(log\.|snapshot\.)([0-9a-f]{16})")


class DamagedDataError(OperatorError):
    """The data directory lost something that had been acknowledged."""


class DirectoryInUseError(OperatorError):
    """Another server holds the lock of the data directory."""


def nothing_known(recovered: Callable[[str], bool]) -> str | None:
    return None


class Store:
    def __init__(
        self,
        data_dir: str,
        disk: Disk = SYSTEM_DISK,
        *,
        snapshots_retained: int = 3,
        contradiction: Contradiction = nothing_known,
    ) -> None:
        self.directory = LogDirectory(os.path.join(data_dir, SUBDIRECTORY), disk)
        self.log = TxnLog(self.directory)
        self._data_dir = data_dir
        self._snapshots_retained = max(snapshots_retained, 1)
        self._contradiction = contradiction
        self._lock: int | None = None

    def open(self) -> None:
        """Make the directory if need be and lock it against a second server."""
        if os.path.isdir(os.path.join(self._data_dir, "version-2")) and not os.path.isdir(self.directory.path):
            raise ConfigError(
                f"dataDir {self._data_dir} holds the data of an Apache ZooKeeper, which this server does not read: "
                "give it a directory of its own"
            )
        try:
            os.makedirs(self.directory.path, exist_ok=True)
            self._lock = os.open(os.path.join(self.directory.path, ".lock"), CREATE, 0o644)
        except OSError as error:
            raise OperatorError(
                f"dataDir {self._data_dir} cannot be used: {error.strerror}: {error.filename or self._data_dir}"
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise DirectoryInUseError(f"{self.directory.path} is in use by another server") from error
        self.directory.sync_directory(self._data_dir)

    def close(self) -> None:
        self.log.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    # Recovery

    def recover(self, *, nodes_max: int, bytes_max: int) -> Database:
        try:
            view = self._newest_snapshot()
            database = Database(view, nodes_max=nodes_max, bytes_max=bytes_max)
            self._replay(database)
            self._check_promised(self._snapshot_zxid(), database, "the snapshot that has them cannot be read")
        except (DecodeError, UnknownFormatError) as error:
            raise DamagedDataError(f"{self.directory.path}: {error}") from error
        return database

    def _newest_snapshot(self) -> DatabaseView | None:
        damaged = 0
        for zxid in reversed(self._numbers(snapshot.PREFIX)):
            try:
                return snapshot.decode_snapshot(self._content(snapshot.PREFIX, zxid))
            except DecodeError as error:
                damaged += 1
                logger.error("Snapshot %016x cannot be used, trying the one before it: %s", zxid, error)
        if damaged and 1 not in self._numbers(txn_log.PREFIX):
            raise DamagedDataError(f"{self.directory.path}: no snapshot can be used and the log is not whole")
        return None

    def _replay(self, database: Database) -> None:
        firsts = self._numbers(txn_log.PREFIX)
        for index, first_zxid in enumerate(firsts):
            if index + 1 < len(firsts) and firsts[index + 1] <= database.last_zxid + 1:
                continue  # all of it is in the snapshot
            content = self._content(txn_log.PREFIX, first_zxid)
            scanned = txn_log.scan(content)
            self._replay_file(database, first_zxid, scanned)
            if not scanned.end:
                self._check_unreadable(database, first_zxid)
            if scanned.end < scanned.size or (index + 1 < len(firsts) and not self._continues(database, firsts, index)):
                self._cut(database, firsts[index:], content, scanned)
                return

    def _replay_file(self, database: Database, first_zxid: int, scanned: ScannedLog) -> None:
        for logged in scanned.transactions:
            if logged.zxid <= database.last_zxid:
                continue
            if logged.zxid != database.last_zxid + 1:
                raise DecodeError(f"log {first_zxid:016x} begins after transaction {database.last_zxid:#x} is lost")
            database.apply(logged)

    def _continues(self, database: Database, firsts: list[int], index: int) -> bool:
        return firsts[index + 1] == database.last_zxid + 1

    def _cut(self, database: Database, firsts: list[int], content: bytes, scanned: ScannedLog) -> None:
        """End the log at its last whole transaction, if nothing says that more of it was acknowledged."""
        later = [txn_log.scan(self._content(txn_log.PREFIX, first)) for first in firsts[1:]]
        durable = [durable_zxid_after(content, scanned.end), *(file.durable_zxid for file in later)]
        path = self._path(txn_log.PREFIX, firsts[0])
        self._check_promised(
            max(*durable, self._snapshot_zxid()), database, f"{path} is damaged at position {scanned.end}"
        )
        for first in reversed(firsts[1:]):
            self.directory.unlink(self._path(txn_log.PREFIX, first))
        file = LogFile.open(self._path(txn_log.PREFIX, firsts[0]), self.directory)
        logger.warning("Cutting %d bytes of an unfinished write off %s", scanned.size - scanned.end, file.path)
        file.truncate(scanned.end)
        file.sync()
        file.close()
        self.directory.sync_directory(self.directory.path)

    def _check_promised(self, promised_zxid: int, database: Database, reason: str) -> None:
        if promised_zxid > database.last_zxid:
            raise DamagedDataError(
                f"{self.directory.path}: {reason}: transactions {database.last_zxid + 1:#x} to {promised_zxid:#x} "
                "were acknowledged and cannot be read"
            )

    def _check_unreadable(self, database: Database, first_zxid: int) -> None:
        """A log without a beginning: torn when it was made, if all that is known from elsewhere is there."""
        missing = self._contradiction(database.tree.nodes.__contains__)
        if missing is not None:
            raise DamagedDataError(
                f"{self._path(txn_log.PREFIX, first_zxid)} cannot be read from its first byte on, and with it is lost "
                f"what must have been there: {missing}. The file is left as it is: restore it from a copy, or, to go "
                "on with what the other files hold, move it away"
            )

    def _snapshot_zxid(self) -> int:
        """Of the newest snapshot by name, whether it can be read or not."""
        return max(self._numbers(snapshot.PREFIX), default=0)

    # Snapshots

    def begin_snapshot(self, view: DatabaseView) -> "SnapshotWriter":
        """Start writing a snapshot; the log goes on in a new file."""
        self.log.roll()
        return SnapshotWriter(self.directory, view)

    def log_files_count(self) -> int:
        return len(self._numbers(txn_log.PREFIX))

    def purge(self) -> None:
        """Remove all but the newest snapshots, the logs that they cover, and what a crash left half-written. Blocks."""
        snapshots = self._numbers(snapshot.PREFIX)
        kept = snapshots[-self._snapshots_retained :]
        for zxid in snapshots[: -self._snapshots_retained]:
            self.directory.unlink(self._path(snapshot.PREFIX, zxid))
        firsts = self._numbers(txn_log.PREFIX)
        for first, following in pairwise(firsts):
            if kept and following <= kept[0] + 1:
                self.directory.unlink(self._path(txn_log.PREFIX, first))

    def remove_unfinished(self) -> None:
        for name in self.directory.list_directory(self.directory.path):
            if name.endswith(TEMPORARY_SUFFIX):
                self.directory.unlink(os.path.join(self.directory.path, name))

    # Names

    def _numbers(self, prefix: str) -> list[int]:
        """The zxids in the names of these files, ascending."""
        names = self.directory.list_directory(self.directory.path)
        return [int(found[2], 16) for name in names if (found := _NAME.fullmatch(name)) and found[1] == prefix]

    def _path(self, prefix: str, zxid: int) -> str:
        return os.path.join(self.directory.path, f"{prefix}{zxid:016x}")

    def _content(self, prefix: str, zxid: int) -> bytes:
        return read_whole(self.directory, self._path(prefix, zxid)) or b""


class SnapshotWriter:
    """One snapshot on its way to disk: `write` on the event loop, then `finish` in a thread."""

    def __init__(self, directory: LogDirectory, view: DatabaseView) -> None:
        self._directory = directory
        self._path = os.path.join(directory.path, f"{snapshot.PREFIX}{view.zxid:016x}")
        self._view = view
        self._file = LogFile.create(self._path + TEMPORARY_SUFFIX, directory)

    def write(self) -> Iterator[None]:
        """Write all of it into the page cache, with a pause after every piece."""
        for piece in snapshot.encode_snapshot(self._view):
            self._file.append(piece)
            yield

    def finish(self) -> None:
        """Give the file its name once it is durable. Blocks."""
        self._file.sync()
        self._file.rename(self._path)
        self._file.close()
        self._directory.sync_directory(self._directory.path)

    def abandon(self) -> None:
        self._file.delete()
