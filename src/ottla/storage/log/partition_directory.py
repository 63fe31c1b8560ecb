"""The names of partition directories, and the file in each that says whose it is.

    orders-0                          the log of partition 0 of topic orders
    orders-0.<32 hex digits>-delete   deleted; its files go after file.delete.delay.ms
    orders-0.<32 hex digits>-future   a copy being made to move the partition to this log directory
    orders-0.<32 hex digits>-stray    of a topic that the cluster no longer knows; kept for a person to look at

`partition.metadata` holds the topic id, so that a topic of the same name that was created anew is told apart:

    version: 0
    topic_id: <22 characters of URL-safe base64>
"""

import re
import uuid
from enum import Enum
from typing import NamedTuple

from ottla.errors import OttlaError
from ottla.model import TopicPartition, decode_uuid, encode_uuid, topic_name_problem

PARTITION_METADATA = "partition.metadata"

_NAME_LENGTH_MAX = 255
_PARTITION_MAX = 2**31 - 1
_NAME = re.compile(
    r"(?P<topic>.+)-(?P<partition>0|[1-9]\d{0,9})(?:\.(?P<unique>[^.]+)-(?P<kind>delete|future|stray))?", re.ASCII
)


class DirectoryKind(Enum):
    CURRENT = ""
    DELETED = "delete"
    FUTURE = "future"
    STRAY = "stray"


class PartitionDirectory(NamedTuple):
    topic_partition: TopicPartition
    kind: DirectoryKind


class InconsistentPartitionMetadataError(OttlaError):
    """A `partition.metadata` that is no such thing."""


def parse_directory_name(name: str) -> PartitionDirectory | None:
    """Which partition a directory belongs to; None where it is no partition's (`lost+found`, `orders-00`)."""
    match = _NAME.fullmatch(name)
    if match is None or topic_name_problem(match["topic"]) is not None or int(match["partition"]) > _PARTITION_MAX:
        return None
    topic_partition = TopicPartition(match["topic"], int(match["partition"]))
    return PartitionDirectory(topic_partition, DirectoryKind(match["kind"] or ""))


def renamed_directory(topic_partition: TopicPartition, kind: DirectoryKind) -> str:
    """A fresh name for a partition's directory. A long topic is cut: the file system allows 255 bytes."""
    suffix = f"-{topic_partition.partition}.{uuid.uuid4().hex}-{kind.value}"
    return topic_partition.topic[: _NAME_LENGTH_MAX - len(suffix)] + suffix


def encode_partition_metadata(topic_id: uuid.UUID) -> bytes:
    return f"version: 0\ntopic_id: {encode_uuid(topic_id)}".encode()


def decode_partition_metadata(data: bytes, source: str = PARTITION_METADATA) -> uuid.UUID:
    try:
        fields = dict(line.split(": ", 1) for line in data.decode("utf-8").splitlines() if line)
        version, topic_id = int(fields["version"]), decode_uuid(fields["topic_id"])
    except (ValueError, KeyError) as error:
        raise InconsistentPartitionMetadataError(f"malformed {source}: {data[:80]!r}") from error
    if version != 0:
        raise InconsistentPartitionMetadataError(f"malformed {source}: version {version} is unknown")
    return topic_id
