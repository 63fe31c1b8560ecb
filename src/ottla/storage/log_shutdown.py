"""The clean stop of a log directory's partitions: everything on disk, so that the next start needs to read no record.

For each log: producers (snapshot and windows) as they are at the end, indexes cut to their length, leader epochs;
then the syncs of all that, many at a time, since the file system makes one commit of syncs that come together; then
the names. Only when every log is through may the recovery points say so, and only after them the marker. Blocks, on
the last thing that a broker does.
"""

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

from ottla.disk.atomic_file import write_atomically
from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.storage.log import leader_epochs as epoch_file
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.producers import recent_producer_batches
from ottla.storage.producers.recent_producer_batches import encode_windows

SYNC_THREADS = 16


def close_logs(logs: Mapping[PartitionLog, int], directory: LogDirectory, threads: int = SYNC_THREADS) -> None:
    """Close and sync every log, given with the offset of the first segment that may not be on disk as a whole.

    Afterwards each one's recovery point is its end. LogDirError: none of that is promised.
    """
    closing = list(logs)
    for log in closing:
        log.close()
        _write_windows(log)
    with ThreadPoolExecutor(threads, thread_name_prefix="log-stop") as pool:
        for _ in pool.map(lambda log: _save_epochs(log, directory), closing):
            pass
        for _ in pool.map(lambda path: _sync_file(directory, path), _unsynced_files(logs)):
            pass
        for _ in pool.map(lambda log: directory.sync_directory(log.directory), closing):
            pass
    for log in closing:
        log.mark_flushed(log.log_end_offset)


def _write_windows(log: PartitionLog) -> None:
    """Beside the snapshot that `close` took; an old one goes."""
    path = os.path.join(log.directory, recent_producer_batches.FILE_NAME)
    content = encode_windows(log.producers.items(), log.log_end_offset)
    if content is None:
        log.log_directory.unlink(path)
        return
    file = LogFile.create(path, log.log_directory)
    file.append(content)
    file.close()


def _save_epochs(log: PartitionLog, directory: LogDirectory) -> None:
    epochs = log.leader_epochs
    path = os.path.join(log.directory, epoch_file.FILE_NAME)
    if epochs.dirty or not epochs.saved_version:
        write_atomically(LogDirectory(directory.path, directory.disk), path, epochs.encode())
        epochs.mark_saved(epochs.version)


def _unsynced_files(logs: Mapping[PartitionLog, int]) -> Iterator[str]:
    """By path: descriptors in the cache belong to the loop."""
    for log, first_offset in logs.items():
        for segment in log.segments.from_offset(first_offset):
            yield from (file.path for file in segment.files)
        yield from log.snapshots.files()[-1:]
        if any(entry.older for _, entry in log.producers.items()):
            yield os.path.join(log.directory, recent_producer_batches.FILE_NAME)


def _sync_file(directory: LogDirectory, path: str) -> None:
    try:
        descriptor = directory.disk.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            directory.disk.sync(descriptor)
        finally:
            directory.disk.close(descriptor)
    except OSError as error:
        raise directory.sync_failure(error, path) from error
