"""The counters of one topic, looked up once and then held by its partitions."""

from ottla.observability.metrics import Metrics

_PREFIX = "kafka_server_brokertopicmetrics_"


class TopicSeries:
    """The series without a topic is the sum of all topics, so that nothing is counted twice."""

    __slots__ = (
        "bytes_in",
        "bytes_out",
        "bytes_rejected",
        "failed_fetch_requests",
        "failed_produce_requests",
        "fetch_requests",
        "invalid_crc",
        "invalid_magic",
        "invalid_offset_or_sequence",
        "messages_in",
        "no_key",
        "produce_requests",
    )

    def __init__(self, metrics: Metrics, topic: str) -> None:
        labels = {"topic": topic}
        self.messages_in = metrics.counter(_PREFIX + "messagesin_total", labels)
        self.bytes_in = metrics.counter(_PREFIX + "bytesin_total", labels)
        self.bytes_out = metrics.counter(_PREFIX + "bytesout_total", labels)
        self.bytes_rejected = metrics.counter(_PREFIX + "bytesrejected_total", labels)
        self.produce_requests = metrics.counter(_PREFIX + "totalproducerequests_total", labels)
        self.fetch_requests = metrics.counter(_PREFIX + "totalfetchrequests_total", labels)
        self.failed_produce_requests = metrics.counter(_PREFIX + "failedproducerequests_total", labels)
        self.failed_fetch_requests = metrics.counter(_PREFIX + "failedfetchrequests_total", labels)
        self.invalid_magic = metrics.counter(_PREFIX + "invalidmagicnumberrecords_total", labels)
        self.invalid_crc = metrics.counter(_PREFIX + "invalidmessagecrcrecords_total", labels)
        self.invalid_offset_or_sequence = metrics.counter(_PREFIX + "invalidoffsetorsequencerecords_total", labels)
        self.no_key = metrics.counter(_PREFIX + "nokeycompactedtopicrecords_total", labels)


class TopicMetrics:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._series: dict[str, TopicSeries] = {}

    def of(self, topic: str) -> TopicSeries:
        series = self._series.get(topic)
        if series is None:
            series = self._series[topic] = TopicSeries(self._metrics, topic)
        return series

    def remove(self, topic: str) -> None:
        """The topic is gone: its series too, while the totals keep what it counted."""
        self._series.pop(topic, None)
        self._metrics.remove("topic", topic)
