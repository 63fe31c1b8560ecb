"""Requests and their times, per API, under Kafka's names.

Fetch is counted as FetchConsumer or FetchFollower. The times of a request:

    received      handler called      handler returned      response there    response's turn     all sent
       |-- queue -------|------ local ------|------ remote ------|--- response queue ---|--- send ---|
       |------------------------------------- total -------------------------------------------------|

The loop calls a handler as soon as it has read a request, so the queue time is that of frames that came in the same
read. A response that the socket takes at once has a send time of 0. One that it does not take is recorded once more,
when the last of it has been sent.
"""

from typing import NamedTuple

from ottla.errors import ErrorCode
from ottla.observability.instruments import Counter, GatheredTimes
from ottla.observability.metrics import Metrics

_PREFIX = "kafka_network_requestmetrics_"


class RequestTimes:
    """The histograms of one kind of request: its times, and its size in bytes."""

    __slots__ = ("_at_once", "local", "queue", "remote", "response_queue", "send", "size", "total")

    def __init__(self, registry: Metrics, request_name: str) -> None:
        labels = {"request": request_name}
        self.total = registry.histogram(_PREFIX + "totaltimems", labels)
        self.queue = registry.histogram(_PREFIX + "requestqueuetimems", labels)
        self.local = registry.histogram(_PREFIX + "localtimems", labels)
        self.remote = registry.histogram(_PREFIX + "remotetimems", labels)
        self.response_queue = registry.histogram(_PREFIX + "responsequeuetimems", labels)
        self.send = registry.histogram(_PREFIX + "responsesendtimems", labels)
        self.size = registry.histogram(_PREFIX + "requestbytes", labels)
        self._at_once = GatheredTimes()
        for times in (self.total, self.queue, self.local, self.remote, self.response_queue, self.send):
            times.collect = self._collect

    def record(self, received_at: float, returned_at: float, ready_at: float, turn_at: float) -> None:
        """Record a request whose response was sent at `turn_at`, all in monotonic seconds."""
        self.queue.zeros += 1
        self.local.record((returned_at - received_at) * 1000.0)
        self.remote.record((ready_at - returned_at) * 1000.0)
        self.response_queue.record((turn_at - ready_at) * 1000.0)
        self.send.zeros += 1
        self.total.record((turn_at - received_at) * 1000.0)

    def record_at_once(self, received_at: float, returned_at: float) -> None:
        """Record a request whose handler responded at once: most of them, so as little as possible is done."""
        self._at_once.record((returned_at - received_at) * 1000.0)

    def _collect(self) -> None:
        at_once = self._at_once
        count = sum(at_once.buckets)
        if count:
            self.total.add(at_once)
            self.local.add(at_once)
            for without_wait in (self.queue, self.remote, self.response_queue, self.send):
                without_wait.zeros += count
            at_once.clear()


class RequestMeter(NamedTuple):
    """What one version of one kind of request is measured with."""

    requests: Counter
    times: RequestTimes


class ErrorCounters(dict[int, Counter]):
    """The counters of one API's responses by error code, each made when its error first happens."""

    def __init__(self, registry: Metrics, api_name: str) -> None:
        super().__init__()
        self._registry = registry
        self._api_name = api_name

    def __missing__(self, code: int) -> Counter:
        labels = {"request": self._api_name, "error": ErrorCode(code).name}
        counter = self[code] = self._registry.counter(_PREFIX + "errors_total", labels)
        return counter


class RequestMetrics:
    """Makes the instruments of an API when its first request comes."""

    __slots__ = ("_errors", "_registry", "_times")

    def __init__(self, registry: Metrics) -> None:
        self._registry = registry
        self._errors: dict[str, ErrorCounters] = {}
        self._times: dict[str, RequestTimes] = {}

    def meter(self, request_name: str, version: int) -> RequestMeter:
        labels = {"request": request_name, "version": str(version)}
        return RequestMeter(self._registry.counter(_PREFIX + "requests_total", labels), self._times_of(request_name))

    def _times_of(self, request_name: str) -> RequestTimes:
        times = self._times.get(request_name)
        if times is None:
            times = self._times[request_name] = RequestTimes(self._registry, request_name)
        return times

    def errors(self, api_name: str) -> ErrorCounters:
        """By API: Kafka does not tell consumers and followers apart here."""
        counters = self._errors.get(api_name)
        if counters is None:
            counters = self._errors[api_name] = ErrorCounters(self._registry, api_name)
        return counters

    def failures(self, request_name: str) -> Counter:
        return self._registry.counter("ottla_handler_failures_total", {"request": request_name})
