"""What can go wrong in a job on Spark, in the words of Spark's own Kafka source, so that what users know applies.

OttlaError
  DataLossError    records of a range are gone (aged out, topic deleted), and failOnDataLoss is true; also a ValueError
  TimestampError   a record's timestamp is past what Spark's timestamps can be; also a ValueError
"""

from ottla.errors import OttlaError

_DATA_LOSS = (
    "Some data may have been lost because they are not available in Kafka any more; either the data was aged out by "
    "Kafka or the topic may have been deleted before all the data in the topic was processed. If you don't want your "
    "streaming query to fail on such cases, set the source option failOnDataLoss to false. Reason: "
)
DATA_LOSS_TOLERATED = (
    "%s. Some data may have been lost because they are not available in Kafka any more; either the data was aged out "
    "by Kafka or the topic may have been deleted before all the data in the topic was processed. If you want your "
    'streaming query to fail on such cases, set the source option "failOnDataLoss" to "true".'
)


class DataLossError(OttlaError, ValueError):
    """Records that were to be read are gone, and the job is to fail in that case."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"[KAFKA_DATA_LOSS] {_DATA_LOSS}{reason}")
        self.reason = reason

    def __reduce__(self) -> tuple[type["DataLossError"], tuple[str]]:
        return DataLossError, (self.reason,)


class TimestampError(OttlaError, ValueError):
    """A timestamp that is no count of milliseconds."""

    def __init__(self, topic: str, partition: int, offset: int, timestamp: int) -> None:
        super().__init__(
            f"[KAFKA_MALFORMED_RECORD_TIMESTAMP] Record at topic {topic} partition {partition} offset {offset} has "
            f"timestamp value {timestamp} that overflows when converting to Spark's microsecond-precision "
            "TimestampType. Kafka record timestamps must be in milliseconds since epoch per the Kafka protocol."
        )
        self._arguments = topic, partition, offset, timestamp

    def __reduce__(self) -> tuple[type["TimestampError"], tuple[str, int, int, int]]:
        return TimestampError, self._arguments
