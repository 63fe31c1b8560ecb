"""The options of the source, with the names, defaults and refusals of Spark's Kafka source, and a few of our own.

Ours: `commitOffsets` (a group that finished micro-batches are committed to) and `batchRows` (rows of an Arrow batch).
Options that nobody knows are ignored, as Spark does.
"""

import logging
import re
from dataclasses import dataclass

from ottla.spark.options import INCLUDE_HEADERS, ClientOptions, JobOptions
from ottla.spark.ranges import BATCH_ROWS_DEFAULT, POLL_TIMEOUT_MS_DEFAULT
from ottla.spark.source.offset_limits import ENDING, STARTING, Bound, OffsetLimit, check_batch_limits, parse_limit
from ottla.spark.source.subscription import Subscription, parse_subscription

logger = logging.getLogger(__name__)

MAX_TRIGGER_DELAY_DEFAULT = "15m"
NUM_RETRIES_DEFAULT = 3
RETRY_INTERVAL_MS_DEFAULT = 1000

_AUTO_OFFSET_RESET = """
Kafka option 'auto.offset.reset' is not supported.
Instead set the source option 'startingoffsets' to 'earliest' or 'latest'
to specify where to start. Structured Streaming manages which offsets are consumed
internally, rather than relying on the kafkaConsumer to do it. This will ensure that no
data is missed when new topics/partitions are dynamically subscribed. Note that
'startingoffsets' only applies when a new Streaming query is started, and
that resuming will always pick up from where the query left off. See the docs for more
details.
"""
_REFUSED = {
    "auto.offset.reset": _AUTO_OFFSET_RESET,
    "key.deserializer": "Kafka option 'key.deserializer' is not supported as keys are deserialized as byte arrays with "
    "ByteArrayDeserializer. Use DataFrame operations to explicitly deserialize the keys.",
    "value.deserializer": "Kafka option 'value.deserializer' is not supported as values are deserialized as byte "
    "arrays with ByteArrayDeserializer. Use DataFrame operations to explicitly deserialize the values.",
    "enable.auto.commit": "Kafka option 'enable.auto.commit' is not supported",
    "interceptor.classes": "Kafka option 'interceptor.classes' is not supported",
}
# A number alone is milliseconds, as Spark reads times.
_UNITS_MS = {
    "us": 0.001, "ms": 1, "": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
}  # fmt: skip
_STREAM_ONLY = ("maxOffsetsPerTrigger", "minOffsetsPerTrigger", "maxTriggerDelay", "commitOffsets")
_TIME = re.compile(r"(-?\d+)\s*([a-z]*)")


@dataclass(frozen=True, kw_only=True)
class SourceOptions:
    """Checked. What of it tasks need is picklable, so all of it is."""

    client: ClientOptions
    subscription: Subscription
    starting: OffsetLimit
    ending: OffsetLimit
    fail_on_data_loss: bool
    include_headers: bool
    min_partitions: int | None
    max_records_per_partition: int | None
    max_offsets_per_trigger: int | None
    min_offsets_per_trigger: int | None
    max_trigger_delay_ms: float
    fetch_offset_attempts: int
    fetch_offset_retry_interval_ms: int
    poll_timeout_ms: int
    batch_rows: int
    commit_group: str | None


def parse_batch_options(options: JobOptions) -> SourceOptions:
    parsed = _parse(options, Bound.EARLIEST)
    check_batch_limits(parsed.starting, parsed.ending)
    for name in _STREAM_ONLY:
        if name in options:
            logger.warning("%s option ignored in batch queries", name)
    return parsed


def parse_stream_options(options: JobOptions) -> SourceOptions:
    for name, what in ((ENDING.offsets, "offset"), (ENDING.times, "timestamp")):
        if name in options:
            raise ValueError(f"ending {what} not valid in streaming queries")
    return _parse(options, Bound.LATEST)


def _parse(options: JobOptions, starting_default: Bound) -> SourceOptions:
    subscription = parse_subscription(options)
    _check_kafka_options(options)
    parsed = SourceOptions(
        client=ClientOptions.of(options.kafka_settings()),
        subscription=subscription,
        starting=parse_limit(options, STARTING, starting_default),
        ending=parse_limit(options, ENDING, Bound.LATEST),
        fail_on_data_loss=options.boolean("failOnDataLoss", True),
        include_headers=options.boolean(INCLUDE_HEADERS, False),
        min_partitions=_positive(options, "minPartitions", "minPartitions"),
        max_records_per_partition=_positive(options, "maxRecordsPerPartition", "maxrecordsperpartition"),
        max_offsets_per_trigger=options.integer("maxOffsetsPerTrigger"),
        min_offsets_per_trigger=options.integer("minOffsetsPerTrigger"),
        max_trigger_delay_ms=time_ms(options.get("maxTriggerDelay", MAX_TRIGGER_DELAY_DEFAULT)),
        fetch_offset_attempts=_or(options.integer("fetchOffset.numRetries"), NUM_RETRIES_DEFAULT),
        fetch_offset_retry_interval_ms=_or(options.integer("fetchOffset.retryIntervalMs"), RETRY_INTERVAL_MS_DEFAULT),
        poll_timeout_ms=_or(options.integer("kafkaConsumer.pollTimeoutMs"), POLL_TIMEOUT_MS_DEFAULT),
        batch_rows=_or(_positive(options, "batchRows", "batchRows"), BATCH_ROWS_DEFAULT),
        commit_group=options.get("commitOffsets"),
    )
    _check_trigger_bounds(parsed)
    return parsed


def _check_kafka_options(options: JobOptions) -> None:
    given = options.kafka_settings()
    for key, refusal in _REFUSED.items():
        if key in given:
            raise ValueError(refusal)
    if "bootstrap.servers" not in given:
        raise ValueError("Option 'kafka.bootstrap.servers' must be specified for configuring Kafka consumer")


def _check_trigger_bounds(parsed: SourceOptions) -> None:
    least, most = parsed.min_offsets_per_trigger, parsed.max_offsets_per_trigger
    if least is not None and most is not None and least > most:
        raise ValueError(f"The value of minOffsetPerTrigger({least}) is higher than the maxOffsetsPerTrigger({most}).")


def _positive(options: JobOptions, name: str, called: str) -> int | None:
    value = options.integer(name)
    if value is not None and value <= 0:
        raise ValueError(f"{called} must be positive")
    return value


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def time_ms(text: str) -> float:
    """Spark's form of a time: `15m`, `30s`, `500ms`."""
    found = _TIME.fullmatch(text.strip().lower())
    if found is None or found[2] not in _UNITS_MS:
        raise ValueError(f"Failed to parse time string: {text}")
    return int(found[1]) * _UNITS_MS[found[2]]
