"""Records in large batches: by size, acks, codec and number of partitions. A GB is 10^9 bytes of values."""

from functools import partial

from bench.brokers import BrokerProcess
from bench.driver import drive
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.topics import temporary_topic

SIZES = {"100 B": 100, "1 KB": 1_000, "10 KB": 10_000}
# Small records take longer per byte: a third of the bytes is enough of them. Both brokers get the same bytes, and these
# fit into the memory that is touched before each round: beyond it the one that writes more would pay the host for more.
SHARE_OF_BYTES = {100: 1.0, 1_000: 3.0, 10_000: 3.0}


def record_count(value_bytes: int, effort: Effort) -> int:
    count = int(effort.megabytes * 1_000_000 * SHARE_OF_BYTES[value_bytes] / value_bytes)
    return count // 1_000 * 1_000


def per_byte(sample: Sample) -> Sample:
    return sample | {
        "mb_per_s": sample["bytes"] / 1e6 / sample["elapsed_s"],
        "records_per_s": sample["records"] / sample["elapsed_s"],
        "cpu_s_per_gb": sample["broker_cpu_s"] / (sample["bytes"] / 1e9),
        "client_percent": 100 * sample["client_busiest"],
    }


def produce(value_bytes: int, acks: str, codec: str, partitions: int, broker: BrokerProcess, effort: Effort) -> Sample:
    with temporary_topic(broker.port, partitions) as topic:
        return per_byte(
            drive(
                "bench.drivers_confluent:produce",
                port=broker.port, pid=broker.pid, topic=topic, value_bytes=value_bytes,
                count=record_count(value_bytes, effort), partitions=partitions, acks=acks, codec=codec,
            )
        )  # fmt: skip


THROUGHPUT = Metric("mb_per_s", "MB/s", Must(at_least=1, client_bound=0.95))
CPU = Metric("cpu_s_per_gb", "s/GB", Must(at_most=0.5), "broker CPU")
CLIENT = Metric("client_percent", "%", label="busiest client thread")


def _case(size: str, acks: str, codec: str, partitions: int) -> Case:
    name = f"produce-{size.replace(' ', '').lower()}-acks{acks}-{codec}-{partitions}p"
    title = f"{size}, acks {acks}, {'no codec' if codec == 'none' else codec}, {partitions} partition(s)"
    run = partial(produce, SIZES[size], acks, codec, partitions)
    return Case(name, "produce", title, run, (THROUGHPUT, CPU, CLIENT))


PRODUCE_CASES = (
    *(_case(size, acks, codec, 1) for size in SIZES for acks in ("1", "all") for codec in ("none", "zstd")),
    *(_case("1 KB", "1", "none", partitions) for partitions in (10, 100)),
)
