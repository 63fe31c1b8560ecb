"""The transaction log: files `log.<first zxid, 16 hex digits>`, a header and one frame per transaction (`framing`).

Appending goes to the page cache and never waits; making it durable is `sync`, which a thread calls. Every start of the
server and every snapshot begins a new file, at the first transaction that it has to hold.

Invariant: zxids go up by one, within a file and from file to file.

What `scan` does with a file that ends in something that is no frame: nothing but saying where. `store` decides whether
that is a torn tail, which is cut, or damage, which an operator must look at.
"""

import os
from contextlib import suppress
from typing import NamedTuple

from ottla.coordination.embedded.framing import (
    FILE_HEADER_SIZE,
    FRAME_HEADER_SIZE,
    decode_frame,
    encode_file_header,
    encode_frame,
    has_file_header,
    iterate_frames,
)
from ottla.coordination.embedded.txn_codec import LoggedTxn, decode_logged_txn, encode_logged_txn
from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors import DecodeError, OttlaError

MAGIC = b"OTTLAZKT"
PREFIX = "log."
SALVAGE_BYTES_MAX = 1 << 20


def log_name(first_zxid: int) -> str:
    return f"{PREFIX}{first_zxid:016x}"


class Unsynced(NamedTuple):
    """What no sync has covered yet: files, oldest first, and whether one of their names is new.

    The files are pinned until `TxnLog.synced`.
    """

    files: list[tuple[LogFile, int]]
    has_new_names: bool


class TxnLog:
    """The end of the log, open for appending."""

    def __init__(self, directory: LogDirectory) -> None:
        self._directory = directory
        self._file: LogFile | None = None
        self._unsynced: dict[str, LogFile] = {}
        self._has_new_names = False

    def append(self, logged: LoggedTxn, durable_zxid: int) -> None:
        """Write one transaction; on failure the log is as it was before."""
        if self._file is None:
            self._file = self._begin_file(logged.zxid)
        self._file.append(encode_frame(encode_logged_txn(logged, durable_zxid)))
        self._unsynced[self._file.path] = self._file

    def roll(self) -> None:
        """Let the next transaction begin a new file."""
        self._file = None

    def take_unsynced(self) -> Unsynced:
        taken = Unsynced([(file, file.pin()) for file in self._unsynced.values()], self._has_new_names)
        self._unsynced.clear()
        self._has_new_names = False
        return taken

    def sync(self, unsynced: Unsynced) -> None:
        """Make what was taken durable. Blocks; LogDirError when it fails."""
        for file, descriptor in unsynced.files:
            file.sync_descriptor(descriptor)
        if unsynced.has_new_names:
            self._directory.sync_directory(self._directory.path)

    def synced(self, unsynced: Unsynced) -> None:
        for file, _ in unsynced.files:
            file.unpin()
            if file is not self._file and file.path not in self._unsynced:
                file.close()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _begin_file(self, first_zxid: int) -> LogFile:
        file = LogFile.create(os.path.join(self._directory.path, log_name(first_zxid)), self._directory)
        try:
            file.append(encode_file_header(MAGIC))
        except OttlaError:
            file.delete()
            raise
        self._has_new_names = True
        return file


class ScannedLog(NamedTuple):
    """What one file holds. `end` is where its last whole frame ends; `size` is larger if something follows."""

    transactions: list[LoggedTxn]
    end: int
    size: int
    durable_zxid: int


def scan(content: bytes) -> ScannedLog:
    """All transactions up to the first frame that is none, in which the zxids must be without gaps."""
    if not has_file_header(content, MAGIC):
        return ScannedLog([], 0, len(content), 0)
    transactions: list[LoggedTxn] = []
    end, durable_zxid = FILE_HEADER_SIZE, 0
    for frame_end, payload in iterate_frames(content):
        logged, known_durable = decode_logged_txn(payload)
        if transactions and logged.zxid != transactions[-1].zxid + 1:
            raise DecodeError(f"transaction {logged.zxid:#x} follows {transactions[-1].zxid:#x}")
        transactions.append(logged)
        end, durable_zxid = frame_end, max(durable_zxid, known_durable)
    return ScannedLog(transactions, end, len(content), durable_zxid)


def durable_zxid_after(content: bytes, end: int) -> int:
    """The highest zxid that some whole frame beyond a break at `end` names as durable; 0 if there is none.

    Only the first megabyte is searched, byte by byte: enough to tell one damaged sector from a torn tail.
    """
    position, limit, found = end + 1, min(len(content), end + SALVAGE_BYTES_MAX), 0
    while position < limit:
        payload = decode_frame(content, position)
        if payload is None:
            position += 1
            continue
        with suppress(DecodeError):
            found = max(found, decode_logged_txn(payload)[1])
        position += FRAME_HEADER_SIZE + len(payload)
    return found
