"""5,000 consumers that wait on one topic: what they cost, and whom one append wakes."""

from functools import partial

from bench.brokers import BrokerProcess
from bench.driver import drive
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.topics import temporary_topic

CONSUMERS = 5_000
PARTITIONS = 10
LONG_WAIT_MS = 30_000
DEFAULT_WAIT_MS = 500


def idle(max_wait_ms: int, broker: BrokerProcess, effort: Effort) -> Sample:
    with temporary_topic(broker.port, PARTITIONS) as topic:
        return drive(
            "bench.idle_driver:idle",
            port=broker.port, pid=broker.pid, topic=topic, consumers=CONSUMERS, partitions=PARTITIONS,
            max_wait_ms=max_wait_ms, seconds=max(3.0, effort.seconds),
        )  # fmt: skip


CPU = Metric("core_percent", "% of a core", label="broker CPU")
RENEWALS = Metric("renewals_per_s", "/s", label="fetches renewed")
WOKEN = (
    Metric("woken_right", "", Must(at_least=CONSUMERS / PARTITIONS, of_ratio=False), "woken by an append, of 500"),
    Metric("woken_wrong", "", Must(at_most=0, of_ratio=False), "woken on other partitions"),
)
BELOW_5_PERCENT = CPU._replace(must=Must(at_most=5, of_ratio=False))


def _case(name: str, title: str, max_wait_ms: int, metrics: tuple[Metric, ...]) -> Case:
    return Case(
        name, "5,000 idle consumers", title, partial(idle, max_wait_ms), metrics,
        first_pass_discarded=False, rounds=lambda effort: effort.starts,
    )  # fmt: skip


IDLE_CASES = (
    _case("idle-parked", "max wait 30 s", LONG_WAIT_MS, (BELOW_5_PERCENT, RENEWALS, *WOKEN)),
    _case("idle-default", "max wait 500 ms", DEFAULT_WAIT_MS, (CPU, RENEWALS)),
)
