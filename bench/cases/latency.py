"""End to end: from the producer's call to the consumer's poll, at a steady rate, linger 0, two client processes."""

from functools import partial

from bench.brokers import BrokerProcess
from bench.driver import begin, drive
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.topics import temporary_topic

# The first part of each round is not counted: connections, first fetches.
SKIPPED_SHARE = 0.25


def end_to_end(rate: int, broker: BrokerProcess, effort: Effort) -> Sample:
    seconds = max(2.0, effort.seconds * 3)
    count = int(rate * seconds)
    skip = int(count * SKIPPED_SHARE)
    with temporary_topic(broker.port) as topic:
        consumer = begin(
            "bench.drivers_confluent:latencies",
            port=broker.port, pid=broker.pid, topic=topic, count=count - skip, skip=skip,
        )  # fmt: skip
        consumer.wait_ready()
        drive("bench.drivers_confluent:produce_at_rate", port=broker.port, topic=topic, rate=rate, seconds=seconds)
        sample = consumer.result()
    return sample | {"core_percent": 100 * sample["broker_cpu_s"] / sample["elapsed_s"]}


def _case(rate: int, must: Must) -> Case:
    metrics = (
        Metric("p50_ms", "ms", label="p50"),
        Metric("p99_ms", "ms", must, "p99"),
        Metric("core_percent", "% of a core", label="broker CPU"),
    )
    return Case(f"latency-{rate}", "end to end", f"{rate:,} records/s", partial(end_to_end, rate), metrics)


LATENCY_CASES = (
    _case(1_000, Must(at_most=0.5)),
    _case(5_000, Must(at_most=10, of_ratio=False)),
)
