"""What is counted when a partition refuses what a producer sent or a consumer asked for.

Failed requests are those that Kafka counts as such: not the ones by which clients find a leader that moved, a disk
that is gone or a record that is too large, which are part of a cluster's life. But a produce that the disk refuses is a
failed one: where Kafka takes a full log directory offline, here it goes on, and this is what tells of it.
"""

from ottla.errors import ErrorCode, KafkaError
from ottla.observability.instruments import Counter
from ottla.observability.topic_metrics import TopicSeries
from ottla.storage.log.batch_validation import InvalidMagicError, InvalidOffsetsError, RecordsWithoutKeyError

_EXPECTED = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REPLICA_NOT_AVAILABLE,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)
_EXPECTED_OF_PRODUCERS = _EXPECTED - {ErrorCode.KAFKA_STORAGE_ERROR} | {
    ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.RECORD_LIST_TOO_LARGE,
    ErrorCode.CORRUPT_MESSAGE,
}


def count_refused_produce(series: TopicSeries, error: KafkaError, size_bytes: int) -> None:
    series.produce_requests.value += 1
    if error.code not in _EXPECTED_OF_PRODUCERS:
        series.failed_produce_requests.value += 1
    if error.code == ErrorCode.MESSAGE_TOO_LARGE:
        series.bytes_rejected.value += size_bytes
    reason = _reason(series, error)
    if reason is not None:
        reason.value += 1


def count_refused_fetch(series: TopicSeries, error: KafkaError) -> None:
    if error.code not in _EXPECTED:
        series.failed_fetch_requests.value += 1


def _reason(series: TopicSeries, error: KafkaError) -> Counter | None:
    if isinstance(error, InvalidMagicError):
        return series.invalid_magic
    if isinstance(error, InvalidOffsetsError):
        return series.invalid_offset_or_sequence
    if isinstance(error, RecordsWithoutKeyError):
        return series.no_key
    if error.code == ErrorCode.CORRUPT_MESSAGE:
        return series.invalid_crc
    return None
