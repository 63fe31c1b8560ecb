"""Spark writing: `format("ottla")` to Ottla beside Spark's own Kafka sink to Kafka, both with acks=all."""

from bench.brokers import BrokerProcess
from bench.cases.spark import PARTITIONS, VALUE_BYTES, format_of
from bench.driver import drive
from bench.measures import QUICK, Case, Effort, Metric, Sample
from bench.topics import temporary_topic

ROWS, ROWS_QUICK = 5_000_000, 500_000
ROUNDS_MAX = 3


def write(broker: BrokerProcess, effort: Effort) -> Sample:
    with temporary_topic(broker.port, PARTITIONS) as topic:
        return drive(
            "bench.spark_sink_driver:write",
            port=broker.port, pid=broker.pid, topic=topic, value_bytes=VALUE_BYTES, sink=format_of(broker),
            rows=ROWS_QUICK if effort is QUICK else ROWS,
        )  # fmt: skip


SPARK_SINK_CASES = (
    Case(
        "spark-sink",
        "spark",
        "5 M records of 100 B written",
        write,
        (Metric("m_rows_s", "M rows/s"), Metric("cpu_us", "us/row", label="CPU of Spark and broker")),
        first_pass_discarded=False,
        rounds=lambda effort: min(effort.rounds, ROUNDS_MAX),
        in_quick_run=False,
    ),
)
