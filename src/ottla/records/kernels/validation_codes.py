"""The codes of the record kernels for what is wrong with a batch, and the sentence for each."""

from enum import IntEnum

from ottla.errors.kafka import InvalidRecordError, InvalidTimestampError, KafkaError


class Problem(IntEnum):
    NONE = 0
    LENGTH = 1
    FIELD = 2
    HEADER = 3
    UNFILLED = 4
    COUNT = 5
    REMAINDER = 6
    OVERFLOW = 7
    OFFSET_DELTA = 8
    NULL_KEY = 9
    TIMESTAMP = 10


SENTENCES = {
    Problem.LENGTH: "its length runs past the end of the batch",
    Problem.FIELD: "a field runs past the end of the record",
    Problem.HEADER: "a header runs past the end of the record or has no key",
    Problem.UNFILLED: "its fields do not fill its length",
    Problem.COUNT: "the batch has fewer records than it says",
    Problem.REMAINDER: "bytes are left after the last record",
    Problem.OVERFLOW: "its offset or timestamp passes 64 bits",
    Problem.OFFSET_DELTA: "its offset does not follow the one before",
    Problem.NULL_KEY: "Compacted topic cannot accept message without key",
    Problem.TIMESTAMP: "its timestamp is out of the range that the topic allows",
}


def error_for(problem: int, index: int | None = None) -> KafkaError:
    """The exception for a problem of record `index` (None: not known which)."""
    found = Problem(problem)
    where = "batch" if index is None or index < 0 else f"record {index}"
    sentence = f"{where}: {SENTENCES[found]}"
    if found is Problem.TIMESTAMP:
        return InvalidTimestampError(sentence)
    return InvalidRecordError(sentence)
