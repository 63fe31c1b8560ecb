"""Reading a topic from its beginning: by record size, codec, partitions, consumers, from the page cache or the disk."""

from functools import partial

from bench.brokers import BrokerProcess
from bench.cases.produce import CLIENT, SIZES, THROUGHPUT, per_byte, record_count
from bench.driver import drive
from bench.free_memory import touch_free_memory
from bench.measures import Case, Effort, Metric, Sample
from bench.topics import drop_from_page_cache, temporary_topic

MANY_CONSUMERS = 20
# Each of many reads all of it.
SHARE_FOR_MANY = 1 / 6


def consume(
    value_bytes: int,
    codec: str,
    partitions: int,
    consumers: int,
    cold: bool,
    broker: BrokerProcess,
    effort: Effort,
) -> Sample:
    count = int(record_count(value_bytes, effort) * (SHARE_FOR_MANY if consumers > 1 else 1))
    where = {"port": broker.port, "pid": broker.pid}
    shape = {"value_bytes": value_bytes, "partitions": partitions}
    with temporary_topic(broker.port, partitions) as topic:
        filled = drive(
            "bench.drivers_confluent:produce", **where, **shape, topic=topic, count=count, acks="1", codec=codec
        )
        if cold:
            drop_from_page_cache(broker.log_files(topic))
            touch_free_memory(effort.memory_megabytes)
        seconds = 0.0 if cold or consumers > 1 else effort.reading_s
        read = {"topic": topic, "count": int(filled["records"]), "consumers": consumers, "seconds": seconds}
        sample = drive("bench.drivers_confluent:consume", **where, **shape, **read)
    return per_byte(sample) | {"waited_share": sample["waited_s"] / sample["elapsed_s"]}


CPU = Metric("cpu_s_per_gb", "s/GB", label="broker CPU")
WAITED = Metric("waited_share", "share", label="time in which the client had no record to take")


def _case(size: str, codec: str = "none", partitions: int = 1, consumers: int = 1, cold: bool = False) -> Case:
    parts = [size.replace(" ", "").lower(), codec, f"{partitions}p", f"{consumers}c", "cold" if cold else "warm"]
    title = (
        f"{size}, {'no codec' if codec == 'none' else codec}, {partitions} partition(s), {consumers} consumer(s), "
        f"{'from disk' if cold else 'from page cache'}"
    )
    run = partial(consume, SIZES[size], codec, partitions, consumers, cold)
    return Case("-".join(["consume", *parts]), "consume", title, run, (THROUGHPUT, CPU, CLIENT, WAITED))


CONSUME_CASES = (
    *(_case(size, codec) for size in SIZES for codec in ("none", "zstd")),
    *(_case("1 KB", partitions=partitions) for partitions in (10, 100)),
    _case("1 KB", consumers=MANY_CONSUMERS),
    _case("1 KB", cold=True),
)
