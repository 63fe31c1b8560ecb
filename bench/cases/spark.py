"""Spark reading: `format("ottla")` on Ottla beside Spark's own connector on Kafka, and beside what Spark can take.

The column of Kafka is Spark's Kafka connector reading from Kafka. Every figure comes from one session of its own, whose
JVM is warm. The ceiling is a Python data source with the same columns and no broker behind it, in the same session.
"""

from bench.brokers import BrokerProcess, Kafka
from bench.driver import drive
from bench.measures import QUICK, Case, Effort, Metric, Must, Sample
from bench.spark_sources import CONNECTOR, CONNECTOR_JARS, OTTLA
from bench.topics import temporary_topic

VALUE_BYTES = 100
PARTITIONS = 4
# A job has fixed costs: with a tenth of the rows they would be measured.
ROWS, ROWS_QUICK = 10_000_000, 2_000_000
BATCHES, BATCHES_QUICK = 45, 10  # Spark keeps the progress of a hundred, and as many come before for warming up
FACTORS = {"count": 4.0, "noop": 3.5, "aggregate": 3.0}
OF_CEILING_MIN = 0.6
ROUNDS_MAX = 3


def read(broker: BrokerProcess, effort: Effort) -> Sample:
    rows = ROWS_QUICK if effort is QUICK else ROWS
    where = {"port": broker.port, "pid": broker.pid}
    shape = {"value_bytes": VALUE_BYTES, "partitions": PARTITIONS}
    with temporary_topic(broker.port, PARTITIONS) as topic:
        drive("bench.drivers_confluent:produce", **where, **shape, topic=topic, count=rows, acks="1", codec="none")
        return drive(
            "bench.spark_driver:read",
            **where,
            topic=topic,
            rows=rows,
            value_bytes=VALUE_BYTES,
            source=format_of(broker),
        )


def micro_batches(broker: BrokerProcess, effort: Effort) -> Sample:
    batches = BATCHES_QUICK if effort is QUICK else BATCHES
    with temporary_topic(broker.port) as topic:
        return drive(
            "bench.spark_driver:micro_batches", port=broker.port, topic=topic, source=format_of(broker), batches=batches
        )


def format_of(broker: BrokerProcess) -> str:
    """Ours on Ottla; on Kafka that of Spark's own connector."""
    if not isinstance(broker, Kafka):
        return OTTLA
    if not any(CONNECTOR_JARS.glob("*.jar")):
        raise RuntimeError("Spark's own connector is not here: run `make setup-test`")
    return CONNECTOR


def _rounds(effort: Effort) -> int:
    return min(effort.rounds, ROUNDS_MAX)


def _metrics(query: str) -> tuple[Metric, ...]:
    return (
        Metric(f"{query}_m_rows_s", "M rows/s", Must(at_least=FACTORS[query]), label=query),
        Metric(f"{query}_cpu_us", "us/row", label=f"{query}, CPU of Spark and broker"),
        Metric(
            f"{query}_of_ceiling",
            "share",
            Must(at_least=OF_CEILING_MIN, of_ratio=False),
            label=f"{query}, of the ceiling",
        ),
        Metric(f"{query}_cpu_of_ceiling", "share", label=f"{query}, of the ceiling, by CPU"),
    )


SPARK_CASES = (
    Case(
        "spark-read",
        "spark",
        "records of 100 B",
        read,
        tuple(metric for query in FACTORS for metric in _metrics(query)),
        first_pass_discarded=False,
        rounds=_rounds,
        in_quick_run=False,
    ),
    Case(
        "spark-micro-batch",
        "spark",
        "micro-batch with next to nothing to do, p50",
        micro_batches,
        (
            Metric("default_p50_ms", "ms", label="Spark's defaults"),
            Metric("plain_files_p50_ms", "ms", label="plain checkpoint files"),
        ),
        first_pass_discarded=False,
        rounds=lambda effort: 1,
        in_quick_run=False,
    ),
)
