"""Loading all log directories at start, several partitions at a time.

A thread loads one partition after the other, with descriptors of its own; the heavy part, the scan after a crash,
runs without the GIL. What comes out is handed to the loop's own descriptors. A directory in which anything fails to
load is offline as a whole: its records may be there but cannot be vouched for.
"""

import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from ottla.config.topic_config import TopicConfig
from ottla.disk.directory import LogDirectory
from ottla.errors.tree import OperatorError
from ottla.model import TopicPartition
from ottla.storage.log.loading import LoadedLog, LoadRequest, load_log
from ottla.storage.log.partition_directory import DirectoryKind, parse_directory_name
from ottla.storage.log_dir import power_loss_marker
from ottla.storage.log_dir.checkpoints import CLEANER, LOG_START, RECOVERY_POINT, OffsetsByPartition
from ottla.storage.log_dir.log_dir import LogDir

logger = logging.getLogger(__name__)

_KRAFT_METADATA = "__cluster_metadata"

TopicConfigs = Callable[[str], TopicConfig]


@dataclass(slots=True)
class LoadedDirectory:
    """What was found: logs by partition, each with the LogDirectory that its files hang on; and the rest, by path."""

    logs: dict[TopicPartition, tuple[LoadedLog, LogDirectory]] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    strays: list[str] = field(default_factory=list)
    futures: list[str] = field(default_factory=list)


class _Known(NamedTuple):
    """What the files of the directory itself say of its partitions."""

    was_ours: bool
    recovery_points: OffsetsByPartition
    start_offsets: OffsetsByPartition
    cleaned: OffsetsByPartition


def load_directory(
    log_dir: LogDir, topic_configs: TopicConfigs, threads: int, now_ms: int, boot_id: str
) -> LoadedDirectory:
    """Everything in one log directory. Raises LogDirError or KafkaStorageError when it cannot be had."""
    was_ours = power_loss_marker.was_ours(log_dir.own_view())
    log_dir.read_markers(boot_id)
    known = _Known(
        was_ours,
        log_dir.read_checkpoint(RECOVERY_POINT),
        log_dir.read_checkpoint(LOG_START),
        log_dir.read_checkpoint(CLEANER),
    )
    found = LoadedDirectory()
    requests: list[LoadRequest] = []
    for name, partition, kind in _partition_directories(log_dir):
        path = os.path.join(log_dir.path, name)
        if kind is DirectoryKind.DELETED:
            found.deleted.append(path)
        elif kind is DirectoryKind.STRAY:
            found.strays.append(path)
        elif kind is DirectoryKind.FUTURE:
            found.futures.append(path)
        else:
            requests.append(_request(log_dir, path, partition, topic_configs(partition.topic), known, now_ms))
    log_dir.progress.logs_found(len(requests))
    if requests and not log_dir.was_clean:
        logger.info("log directory %s was not stopped cleanly: checking %d partitions", log_dir.path, len(requests))
    with ThreadPoolExecutor(threads, thread_name_prefix="log-recovery") as pool:
        for request, loaded in zip(requests, pool.map(partial(_load, log_dir), requests), strict=True):
            found.logs[request.topic_partition] = loaded
    logger.info(
        "log directory %s: %d partitions, %d bytes of their logs checked",
        log_dir.path,
        len(requests),
        log_dir.progress.recovered_bytes,
    )
    return found


def _partition_directories(log_dir: LogDir) -> list[tuple[str, TopicPartition, DirectoryKind]]:
    found = []
    for name in log_dir.directory.list_directory(log_dir.path):
        if not os.path.isdir(os.path.join(log_dir.path, name)):
            continue
        parsed = parse_directory_name(name)
        if parsed is not None and parsed.topic_partition.topic == _KRAFT_METADATA:
            continue
        if parsed is None:
            logger.warning("%s is no partition's directory: left alone", os.path.join(log_dir.path, name))
        else:
            found.append((name, *parsed))
    return found


def _request(
    log_dir: LogDir,
    path: str,
    partition: TopicPartition,
    config: TopicConfig,
    known: _Known,
    now_ms: int,
) -> LoadRequest:
    return LoadRequest(
        topic_partition=partition,
        path=path,
        is_clean=log_dir.was_clean,
        recovery_point=known.recovery_points.get(partition, 0),
        log_start_offset=known.start_offsets.get(partition, 0),
        index_bytes_max=config.segment_index_bytes,
        index_interval_bytes=config.index_interval_bytes,
        may_have_gaps=not log_dir.may_lack_records
        or config.is_compacted
        or partition in known.cleaned
        or not known.was_ours,
        now_ms=now_ms,
        progress=log_dir.progress,
    )


def _load(log_dir: LogDir, request: LoadRequest) -> tuple[LoadedLog, LogDirectory]:
    """In a thread. The files are closed again, so that `handles` can be exchanged."""
    directory = log_dir.own_view()
    try:
        loaded = load_log(directory, request)
    except OSError as error:
        raise directory.storage_error(error) from error
    log_dir.progress.log_loaded()
    for segment in loaded.segments:
        for file in segment.files:
            file.close()
    return loaded, directory


def check_no_duplicates(found: dict[str, LoadedDirectory]) -> None:
    """A partition in two log directories: which one is right, only a person can tell."""
    places: dict[TopicPartition, str] = {}
    for path, loaded in found.items():
        for partition in loaded.logs:
            if partition in places:
                raise OperatorError(
                    f"partition {partition} is in {places[partition]} and in {path}: remove the one that is out of "
                    "date, most likely that in the log directory that failed last"
                )
            places[partition] = path
