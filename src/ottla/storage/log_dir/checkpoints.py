"""The checkpoint files of a log directory: one offset for each of its partitions.

    recovery-point-offset-checkpoint   everything below it is on disk: recovery begins here after a crash
    replication-offset-checkpoint      the high watermark
    log-start-offset-checkpoint        the first offset that may be read, where it is not the first segment's
    cleaner-offset-checkpoint          how far the log was compacted

The form is that of `checkpoint_text`, one "topic partition offset" a line. A topic's name has no blanks, so three
fields are always three fields.
"""

from collections.abc import Mapping

from ottla.model import TopicPartition
from ottla.storage.log_dir.checkpoint_text import MalformedCheckpointError, decode_int, decode_lines, encode_lines

RECOVERY_POINT = "recovery-point-offset-checkpoint"
HIGH_WATERMARK = "replication-offset-checkpoint"
LOG_START = "log-start-offset-checkpoint"
CLEANER = "cleaner-offset-checkpoint"

OffsetsByPartition = dict[TopicPartition, int]


def encode_offsets(offsets: Mapping[TopicPartition, int]) -> bytes:
    return encode_lines(f"{name} {partition} {offset}" for (name, partition), offset in offsets.items())


def decode_offsets(data: bytes, source: str) -> OffsetsByPartition:
    return dict(_decode_entry(line, source) for line in decode_lines(data, source))


def _decode_entry(line: str, source: str) -> tuple[TopicPartition, int]:
    fields = line.split(" ")
    if len(fields) != 3:
        raise MalformedCheckpointError(source, f"{line[:80]!r} is not 'topic partition offset'")
    partition, offset = decode_int(fields[1], source), decode_int(fields[2], source)
    if partition < 0:
        raise MalformedCheckpointError(source, f"partition {partition} of topic {fields[0]}")
    return TopicPartition(fields[0], partition), offset
