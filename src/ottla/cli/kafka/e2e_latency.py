"""`kafka-e2e-latency BROKERS TOPIC COUNT ACKS SIZE [PROPERTIES]`: one record at a time, from producer to consumer."""

from collections.abc import Sequence

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import make_tool_target
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.partition_names import resolve_partitions
from ottla.cli.perf_load import Latencies, round_trips


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-e2e-latency", "From the producer to a consumer, one record at a time.")
    options.add_argument("broker_list")
    options.add_argument("topic")
    options.add_argument("num_messages", type=int)
    options.add_argument("producer_acks", choices=["1", "all"])
    options.add_argument("message_size", type=int)
    options.add_argument("properties_file", nargs="?")
    given = options.parse(arguments)
    target = make_tool_target(given.broker_list, given.properties_file)
    with target.admin() as admin:
        if given.topic not in admin.list_topics():
            print(f'Topic "{given.topic}" does not exist. Will create topic with 1 partition(s) and replication '
                  "factor = 1")  # fmt: skip
            admin.create_topic(given.topic, 1, 1)
        partitions = resolve_partitions(admin, [given.topic])
    measured = Latencies()
    with (
        interruptible(),
        target.producer(acks=given.producer_acks, linger_ms=0) as producer,
        target.consumer(enable_auto_commit=False) as consumer,
    ):
        consumer.assign(partitions)
        consumer.seek_to_end(partitions)
        for partition in partitions:
            consumer.position(partition)
        trips = round_trips(producer, consumer, given.topic, given.num_messages, given.message_size)
        for number, milliseconds in enumerate(trips):
            measured.note(milliseconds, given.message_size)
            if number % 1000 == 0:
                print(f"{number}\t{milliseconds}", flush=True)
    print(f"Avg latency: {measured.average_ms:.4f} ms\n")
    print(f"Percentiles: 50th = {measured.whole_percentile(0.5)}, 99th = {measured.whole_percentile(0.99)}, "
          f"99.9th = {measured.whole_percentile(0.999)}")  # fmt: skip
    return 0
