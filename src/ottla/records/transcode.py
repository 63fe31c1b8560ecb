"""Recompresses whole batches (`compression.type` forced by the topic), and checks the records of compressed batches.

The broker passes batches on as they came; this is for topics that ask for something else. Header fields stay, records
are the same bytes, only compressed otherwise. All of it is kernels and codecs that hold no GIL, fit for a thread.
"""

from typing import NamedTuple

from ottla.errors.kafka import KafkaError
from ottla.records.attributes import COMPRESSION_MASK, Codec
from ottla.records.batch import BatchHeader, Buffer, assemble_batch, decode_header
from ottla.records.compression import compress
from ottla.records.kernels import validate_records
from ottla.records.kernels.validation_codes import error_for
from ottla.records.record import DECOMPRESSED_MAX, RecordsSection, open_section

TIMESTAMP_MIN = -(2**63)
TIMESTAMP_MAX = 2**63 - 1


class SectionFacts(NamedTuple):
    """What validation learned on its walk."""

    max_timestamp: int
    max_timestamp_index: int


class RecordProblem(NamedTuple):
    """One bad record of a batch: its index, and the error that the batch is refused with."""

    batch_index: int
    error: KafkaError


def validate_section(
    section: RecordsSection,
    header: BatchHeader,
    *,
    need_key: bool = False,
    timestamp_min: int = TIMESTAMP_MIN,
    timestamp_max: int = TIMESTAMP_MAX,
) -> SectionFacts | RecordProblem:
    """Walks every record: lengths, offsets 0 to n - 1, keys where they are needed, timestamps within the limits."""
    problem, index, max_timestamp, max_timestamp_index = validate_records(
        section.buffer,
        section.start,
        section.end,
        header.records_count,
        header.base_timestamp,
        need_key,
        timestamp_min,
        timestamp_max,
    )
    if problem:
        return RecordProblem(index, error_for(problem, index))
    return SectionFacts(max_timestamp, max_timestamp_index)


def validate_compressed(
    buffer: Buffer,
    position: int,
    header: BatchHeader,
    *,
    need_key: bool = False,
    timestamp_min: int = TIMESTAMP_MIN,
    timestamp_max: int = TIMESTAMP_MAX,
    size_max: int = DECOMPRESSED_MAX,
) -> SectionFacts | RecordProblem:
    """As `validate_section`, for a batch in any codec. InvalidRecordError: decompressed, it passes `size_max`."""
    section = open_section(buffer, position, header, size_max)
    return validate_section(
        section, header, need_key=need_key, timestamp_min=timestamp_min, timestamp_max=timestamp_max
    )


def recompress(
    buffer: Buffer, position: int, codec: Codec, *, level: int | None = None, size_max: int = DECOMPRESSED_MAX
) -> bytearray:
    """The batch at `position` in another codec, everything else as it was."""
    header = decode_header(buffer, position)
    section = open_section(buffer, position, header, size_max)
    with memoryview(section.buffer)[section.start : section.end] as records:
        compressed = compress(codec, records, level)
    return assemble_batch(header._replace(attributes=header.attributes & ~COMPRESSION_MASK | codec), compressed)
