"""The catalogue against the MBeans of a running Kafka 3.9 and the manual's monitoring tables (copies in tests/data)."""

import re
from pathlib import Path

import pytest

from ottla.observability.catalogue import absent_mbeans, metric_definitions
from ottla.observability.document import document

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests" / "data"

EXPORTED_MBEANS = {metric.mbean.split(" ")[0] for metric in metric_definitions().values()}


def data_lines(name: str) -> list[str]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def generalised(mbean: str) -> str:
    """Without a topic where the sum over topics is the same metric; the manual's patterns as letters."""
    for pattern, letter in (
        ("clientId", "C"),
        ("client-id", "C"),
        ("topic", "T"),
        ("partition", "P"),
        ("node-id", "N"),
    ):
        mbean = re.sub(rf"{pattern}=\([^)]*\)", f"{pattern}={letter}", mbean)
    mbean = mbean.replace("request={Produce|FetchConsumer|FetchFollower}", "request=R")
    return mbean.removesuffix(",topic=T") if "BrokerTopicMetrics" in mbean else mbean


def answered(mbean: str) -> bool:
    name = generalised(mbean)
    return name in EXPORTED_MBEANS or name + ",version=V" in EXPORTED_MBEANS or name in absent_mbeans()


@pytest.mark.parametrize("line", data_lines("kafka-3.9-mbeans.txt"), ids=lambda line: line.split("\t")[0])
def test_every_mbean_of_kafka_has_a_metric_or_a_reason(line: str) -> None:
    assert answered(line.split("\t")[0])


@pytest.mark.parametrize("mbean", sorted({line.split("\t")[1] for line in data_lines("monitoring-manual.tsv")}))
def test_every_mbean_of_the_manual_has_a_metric_or_a_reason(mbean: str) -> None:
    assert answered(mbean)


def test_an_mbean_has_either_a_metric_or_a_reason_and_names_are_legal() -> None:
    assert EXPORTED_MBEANS.isdisjoint(absent_mbeans())
    assert all(
        reason.split(": ")[0] in ("Today's name", "Later", "Not applicable") for reason in absent_mbeans().values()
    )
    for metric in metric_definitions().values():
        assert re.fullmatch(r"[a-z][a-z0-9_]*", metric.name)
        assert all(re.fullmatch(r"[a-zA-Z_]+", label) for label in metric.labels)
        assert metric.type in ("counter", "gauge", "summary")
        assert metric.name.endswith("_total") == (metric.type == "counter") or metric.name.endswith("_count")
        assert metric.help.endswith(".")


def jmx_exporter_name(mbean: str) -> str:
    """The rule that its example configuration for Kafka applies."""
    match = re.match(r"([a-z.]+):type=([^,]+),name=([^,]+)", mbean)
    assert match is not None
    domain, kind, name = match.groups()
    for suffix, ending in (("PerSec", "_total"), ("Percent", "_percent")):
        if name.endswith(suffix):
            name = name.removesuffix(suffix) + ending
    return f"{domain.replace('.', '_')}_{kind}_{name}".lower().replace("-", "_")


RENAMED = {
    "kafka_server_kafkaserver_info",
    "kafka_server_addpartitionstotxnmanager_verificationfailure_total",
}


def test_names_are_those_of_the_jmx_exporter() -> None:
    for metric in metric_definitions().values():
        if ",name=" in metric.mbean and metric.name not in RENAMED:
            assert metric.name == jmx_exporter_name(metric.mbean)


def test_names_that_dashboards_and_alerts_ask_for_exist() -> None:
    asked = """
    kafka_server_brokertopicmetrics_messagesin_total kafka_server_brokertopicmetrics_bytesin_total
    kafka_server_brokertopicmetrics_bytesout_total kafka_server_brokertopicmetrics_failedproducerequests_total
    kafka_server_replicamanager_underreplicatedpartitions kafka_server_replicamanager_underminisrpartitioncount
    kafka_server_replicamanager_leadercount kafka_server_replicamanager_isrshrinks_total
    kafka_controller_kafkacontroller_activecontrollercount kafka_controller_kafkacontroller_offlinepartitionscount
    kafka_controller_controllerstats_uncleanleaderelections_total kafka_cluster_partition_underminisr
    kafka_log_log_size kafka_log_logmanager_offlinelogdirectorycount kafka_network_requestmetrics_requests_total
    kafka_network_requestmetrics_totaltimems kafka_network_requestmetrics_responsesendtimems
    kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent
    kafka_network_socketserver_networkprocessoravgidle_percent kafka_server_socketservermetrics_connection_count
    kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance kafka_server_quota_byte_rate
    """
    assert set(asked.split()) <= metric_definitions().keys()


def test_the_page_of_metrics_is_current() -> None:
    assert (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8") == document()
