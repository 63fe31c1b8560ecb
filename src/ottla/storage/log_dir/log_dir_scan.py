"""What a log directory holds, from its names and small files alone.

For `ottla log adopt`, which registers topics whose cluster is gone. Nothing is locked, opened for writing or changed.
"""

import os
import uuid
from collections.abc import Set
from dataclasses import dataclass

from ottla.disk.atomic_file import read_whole
from ottla.disk.directory import LogDirectory
from ottla.model import TopicPartition
from ottla.storage.log import leader_epochs as epoch_file
from ottla.storage.log.leader_epochs import decode_leader_epochs
from ottla.storage.log.loading import read_topic_id
from ottla.storage.log.partition_directory import DirectoryKind, parse_directory_name
from ottla.storage.log_dir import meta_properties
from ottla.storage.log_dir.checkpoint_text import MalformedCheckpointError
from ottla.storage.log_dir.checkpoints import CLEANER, decode_offsets
from ottla.storage.log_dir.meta_properties import MetaProperties, decode_meta_properties
from ottla.storage.segment.segment_files import LOG_SUFFIX, parse_file_name


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPartition:
    """`latest_epoch`: whoever leads the partition next must get a higher one, or its new records would look older.
    `was_compacted`: as far as the cleaner's checkpoint tells.
    """

    topic_partition: TopicPartition
    kind: DirectoryKind
    path: str
    topic_id: uuid.UUID | None
    latest_epoch: int
    size_bytes: int
    was_compacted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    path: str
    meta: MetaProperties | None
    partitions: tuple[FoundPartition, ...]


def take_inventory(path: str) -> Inventory:
    """OperatorError when `meta.properties` is damaged, LogDirError when the directory cannot be read."""
    directory = LogDirectory(path)
    meta_path = os.path.join(path, meta_properties.FILE_NAME)
    meta = read_whole(directory, meta_path)
    cleaned = _cleaned_partitions(directory)
    found = []
    for name in directory.list_directory(path):
        parsed = parse_directory_name(name)
        if parsed is not None and os.path.isdir(os.path.join(path, name)):
            was_compacted = parsed.topic_partition in cleaned
            found.append(_inspect(directory, os.path.join(path, name), *parsed, was_compacted))
    return Inventory(
        path=path,
        meta=decode_meta_properties(meta, meta_path) if meta is not None else None,
        partitions=tuple(sorted(found, key=lambda partition: partition.topic_partition)),
    )


def _cleaned_partitions(directory: LogDirectory) -> Set[TopicPartition]:
    path = os.path.join(directory.path, CLEANER)
    try:
        return decode_offsets(read_whole(directory, path) or b"", path).keys()
    except MalformedCheckpointError:
        return set()


def _inspect(
    directory: LogDirectory, path: str, topic_partition: TopicPartition, kind: DirectoryKind, was_compacted: bool
) -> FoundPartition:
    return FoundPartition(
        topic_partition=topic_partition,
        kind=kind,
        path=path,
        topic_id=read_topic_id(directory, path),
        latest_epoch=_latest_epoch(directory, path),
        size_bytes=_log_bytes(directory, path),
        was_compacted=was_compacted,
    )


def _latest_epoch(directory: LogDirectory, path: str) -> int:
    try:
        return decode_leader_epochs(read_whole(directory, os.path.join(path, epoch_file.FILE_NAME)) or b"").latest_epoch
    except MalformedCheckpointError:
        return -1


def _log_bytes(directory: LogDirectory, path: str) -> int:
    parsed = ((name, parse_file_name(name)) for name in directory.list_directory(path))
    logs = [os.path.join(path, name) for name, found in parsed if found and found[1] == LOG_SUFFIX]
    return sum(directory.disk.stat(log).st_size for log in logs)
