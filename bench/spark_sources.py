"""The two formats that are compared, without importing Spark."""

from bench.driver import ROOT

OTTLA, CONNECTOR = "ottla", "kafka"
CONNECTOR_JARS = ROOT / ".peers" / "spark-connector"
