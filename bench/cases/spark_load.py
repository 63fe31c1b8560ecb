"""A topic to Parquet: `ottla load` on Ottla beside the job that Spark's own connector does on Kafka."""

from bench.brokers import BrokerProcess, Kafka
from bench.driver import drive
from bench.measures import QUICK, Case, Effort, Metric, Must, Sample
from bench.spark_sources import CONNECTOR_JARS
from bench.topics import temporary_topic

VALUE_BYTES = 100
PARTITIONS = 4
ROWS, ROWS_QUICK = 10_000_000, 1_000_000
FACTOR = 8.0
ROUNDS_MAX = 3


def load(broker: BrokerProcess, effort: Effort) -> Sample:
    rows = ROWS_QUICK if effort is QUICK else ROWS
    where = {"port": broker.port, "pid": broker.pid}
    shape = {"value_bytes": VALUE_BYTES, "partitions": PARTITIONS}
    with temporary_topic(broker.port, PARTITIONS) as topic:
        drive("bench.drivers_confluent:produce", **where, **shape, topic=topic, count=rows, acks="1", codec="none")
        return drive(f"bench.spark_load_driver:{_job(broker)}", **where, topic=topic, rows=rows)


def _job(broker: BrokerProcess) -> str:
    if not isinstance(broker, Kafka):
        return "load"
    if not any(CONNECTOR_JARS.glob("*.jar")):
        raise RuntimeError("Spark's own connector is not here: run `make setup-test`")
    return "connector"


SPARK_LOAD_CASES = (
    Case(
        "spark-load",
        "spark",
        "10 M records of 100 B to Parquet",
        load,
        (
            Metric("m_rows_s", "M rows/s", Must(at_least=FACTOR), label="to Parquet"),
            Metric("cpu_us", "us/row", label="to Parquet, CPU of Spark and broker"),
        ),
        first_pass_discarded=False,
        rounds=lambda effort: min(effort.rounds, ROUNDS_MAX),
        in_quick_run=False,
    ),
)
