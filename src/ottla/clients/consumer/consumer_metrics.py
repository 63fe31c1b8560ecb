"""What the consumer measures, by Kafka's names: how far behind it is, and how fast it fetches."""

from collections.abc import Iterable
from typing import Protocol

from ottla.clients.consumer.fetch_state import FetchState
from ottla.clients.metrics import ClientMetrics, SensorGroup


class PartitionStates(Protocol):
    def values(self) -> Iterable[FetchState]: ...


class ConsumerMetrics:
    def __init__(self, metrics: ClientMetrics, states: PartitionStates) -> None:
        self._metrics = metrics
        self._states = states
        fetching = self._fetching = metrics.group("consumer-fetch-manager-metrics")
        self._fetches, self._throttle = fetching.sensor("fetches"), fetching.sensor("throttle")
        self._bytes, self._records = fetching.sensor("bytes"), fetching.sensor("records")
        self._topics: dict[str, SensorGroup] = {}
        fetching.attribute("fetch-rate", self._fetches.rate)
        fetching.attribute("bytes-consumed-rate", self._bytes.rate)
        fetching.attribute("fetch-size-avg", self._bytes.average)
        fetching.attribute("fetch-size-max", self._bytes.maximum)
        fetching.attribute("records-consumed-rate", self._records.rate)
        fetching.attribute("records-per-request-avg", self._records.average)
        fetching.attribute("fetch-throttle-time-avg", self._throttle.average)
        fetching.attribute("fetch-throttle-time-max", self._throttle.maximum)
        fetching.attribute("records-lag-max", self.max_lag)
        self._add_old_names(metrics.client_id)

    def _add_old_names(self, client_id: str) -> None:
        """The names of the manual's chapter on monitoring."""
        lag = self._metrics.named_group(f"kafka.consumer:type=ConsumerFetcherManager,name=MaxLag,clientId={client_id}")
        lag.attribute("Value", self.max_lag)
        rate = self._metrics.named_group(
            f"kafka.consumer:type=ConsumerFetcherManager,name=MinFetchRate,clientId={client_id}"
        )
        rate.attribute("Value", self._fetches.rate)

    def max_lag(self) -> float:
        """Of all partitions, in records."""
        return max((state.lag or 0 for state in list(self._states.values())), default=0)

    def note_fetch(self, throttle_time_ms: int) -> None:
        self._fetches.record()
        self._throttle.record(throttle_time_ms)

    def note_partition(self, state: FetchState, size: int) -> None:
        self._bytes.record(size)
        topic = self._topics.get(state.partition.topic)
        if topic is None:
            name = state.partition.topic
            topic = self._topics[name] = self._metrics.group("consumer-fetch-manager-metrics", topic=name)
            topic.attribute("bytes-consumed-rate", topic.sensor("bytes").rate)
        topic.sensor("bytes").record(size)

    def note_records(self, count: int) -> None:
        self._records.record(count)
