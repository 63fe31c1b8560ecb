"""End to end: from the producer's call to the consumer's poll, at a steady rate, linger 0, two client processes.

Beside each broker the same clients are measured with a relay that costs nearly nothing. That much no broker can save;
what is above it the broker adds.
"""

from functools import partial

from bench.brokers import BrokerProcess
from bench.driver import begin, drive
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.topics import free_port, temporary_topic

# The first part of each round is not counted: connections, first fetches.
SKIPPED_SHARE = 0.25
RELAYED_TOPIC = "relayed"


def end_to_end(rate: int, broker: BrokerProcess, effort: Effort) -> Sample:
    seconds = max(2.0, effort.seconds * 3)
    with temporary_topic(broker.port) as topic:
        sample = latencies(rate, seconds, broker.port, broker.pid, topic)
    bare = relayed(rate, seconds / 2)
    return sample | {
        "core_percent": 100 * sample["broker_cpu_s"] / sample["elapsed_s"],
        "bare_p50_ms": bare["p50_ms"],
        "bare_p99_ms": bare["p99_ms"],
    }


def latencies(rate: int, seconds: float, port: int, pid: int, topic: str) -> Sample:
    count = int(rate * seconds)
    skip = int(count * SKIPPED_SHARE)
    consumer = begin(
        "bench.drivers_confluent:latencies", port=port, pid=pid, topic=topic, count=count - skip, skip=skip
    )
    consumer.wait_ready()
    drive("bench.drivers_confluent:produce_at_rate", port=port, topic=topic, rate=rate, seconds=seconds)
    return consumer.result()


def relayed(rate: int, seconds: float) -> Sample:
    port = free_port()
    relay = begin("bench.bare_relay:serve", port=port, topic=RELAYED_TOPIC)
    relay.wait_ready()
    sample = latencies(rate, seconds, port, relay.pid, RELAYED_TOPIC)
    relay.result()
    return sample


def _case(rate: int, must: Must) -> Case:
    metrics = (
        Metric("p50_ms", "ms", label="p50"),
        Metric("p99_ms", "ms", must, "p99"),
        Metric("core_percent", "% of a core", label="broker CPU"),
        Metric("bare_p50_ms", "ms", label="p50 with a relay in the broker's place"),
        Metric("bare_p99_ms", "ms", label="p99 with a relay in the broker's place"),
    )
    return Case(f"latency-{rate}", "end to end", f"{rate:,} records/s", partial(end_to_end, rate), metrics)


LATENCY_CASES = (
    _case(1_000, Must(at_most=0.5)),
    _case(5_000, Must(at_most=10, of_ratio=False)),
)
