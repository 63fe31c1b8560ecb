"""The series of one API, looked up once and then held by the dispatcher.

A request's time is told in Kafka's parts:

    total = request queue + local + remote + response queue + response send

`Fetch` has two entries, `FetchConsumer` and `FetchFollower`: the caller knows which it was.
"""

from ottla.observability.instruments import Counter
from ottla.observability.metrics import Metrics

_PREFIX = "kafka_network_requestmetrics_"


class RequestSeries:
    """Histograms in milliseconds (and bytes) of one API."""

    __slots__ = (
        "_counts",
        "_metrics",
        "local_time",
        "name",
        "remote_time",
        "request_bytes",
        "request_queue_time",
        "response_queue_time",
        "response_send_time",
        "total_time",
    )

    def __init__(self, metrics: Metrics, name: str) -> None:
        labels = {"request": name}
        self._metrics = metrics
        self._counts: dict[int, Counter] = {}
        self.name = name
        self.total_time = metrics.histogram(_PREFIX + "totaltimems", labels)
        self.request_queue_time = metrics.histogram(_PREFIX + "requestqueuetimems", labels)
        self.local_time = metrics.histogram(_PREFIX + "localtimems", labels)
        self.remote_time = metrics.histogram(_PREFIX + "remotetimems", labels)
        self.response_queue_time = metrics.histogram(_PREFIX + "responsequeuetimems", labels)
        self.response_send_time = metrics.histogram(_PREFIX + "responsesendtimems", labels)
        self.request_bytes = metrics.histogram(_PREFIX + "requestbytes", labels)

    def count(self, version: int) -> Counter:
        """The counter of requests in this version."""
        counter = self._counts.get(version)
        if counter is None:
            labels = {"request": self.name, "version": str(version)}
            counter = self._counts[version] = self._metrics.counter(_PREFIX + "requests_total", labels)
        return counter


class RequestMetrics:
    """The series by API name, made at an API's first request."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._series: dict[str, RequestSeries] = {}

    def of(self, name: str) -> RequestSeries:
        series = self._series.get(name)
        if series is None:
            series = self._series[name] = RequestSeries(self._metrics, name)
        return series

    def error(self, name: str, error: str) -> Counter:
        """The counter of answers with this error name, such as NOT_LEADER_OR_FOLLOWER."""
        return self._metrics.counter(_PREFIX + "errors_total", {"request": name, "error": error})
