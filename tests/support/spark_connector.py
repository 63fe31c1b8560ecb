"""Spark's own Kafka connector, from .peers: the jars that `scripts/setup_spark_connector.sh` fetches."""

from support.peers import PEERS, require_path

CONNECTOR = PEERS / "spark-connector"


def connector_jars() -> str:
    """What `spark.jars` is set to. Absent jars are a skip here and a failure in CI."""
    require_path(CONNECTOR / "complete")
    return ",".join(str(jar) for jar in sorted(CONNECTOR.glob("*.jar")))
