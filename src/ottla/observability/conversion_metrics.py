"""Conversions of records between formats and codecs: how many, how long they took, how much memory.

Old producers' message sets are converted up, `compression.type` may ask for another codec, and old consumers get theirs
converted down. All of it is rare and costs far more than being counted.
"""

from typing import NamedTuple

from ottla.observability.metrics import Metrics

_TOPICS = "kafka_server_brokertopicmetrics_"
_REQUESTS = "kafka_network_requestmetrics_"


class Conversion(NamedTuple):
    """One conversion; `size_bytes` is what it made, which lives for as long as the request."""

    records: int
    elapsed_ms: float
    size_bytes: int


class ConversionMetrics:
    """Of one direction: `Produce` or `Fetch`. For the event loop's thread."""

    def __init__(self, metrics: Metrics, request: str) -> None:
        labels = {"request": request}
        self._metrics = metrics
        self._counter_name = f"{_TOPICS}{request.lower()}messageconversions_total"
        self._times = metrics.histogram(_REQUESTS + "messageconversionstimems", labels)
        self._sizes = metrics.histogram(_REQUESTS + "temporarymemorybytes", labels)
        metrics.counter(self._counter_name)

    def note(self, topic: str, conversion: Conversion) -> None:
        self._metrics.counter(self._counter_name, {"topic": topic}).value += conversion.records
        self._times.record(conversion.elapsed_ms)
        self._sizes.record(conversion.size_bytes)
