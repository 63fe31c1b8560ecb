"""Every metric that Ottla exports, and every MBean of Kafka with what became of it.

The names are those that jmx_exporter makes of Kafka's MBeans, because existing dashboards and alerts ask for them:
`kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec` is `kafka_server_brokertopicmetrics_messagesin_total`. Our
own begin with `ottla_`. The tables are texts, parsed on first use; one row of METRICS:

    name | counter, gauge or summary | labels | unit of a summary, or `sum` | MBean [| Later: why not yet] | meaning

The labels' values in an MBean are generalised as in a recorded list.

`sum`: the series without a label is the sum of those with it, the removed ones included. One row of ABSENT:

    MBean | why it has no metric
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

_LATER = "Later: "


class MetricDefinition(NamedTuple):
    name: str
    type: str
    labels: tuple[str, ...]
    unit: str
    is_summed: bool
    mbean: str
    help: str
    later: str | None


@cache
def metric_definitions() -> Mapping[str, MetricDefinition]:
    from ottla.observability.tables import cluster, log, ottla, requests, server

    tables = (server.METRICS, requests.METRICS, log.METRICS, cluster.METRICS, ottla.METRICS)
    rows = (row for table in tables for row in table.strip().splitlines())
    return {entry.name: entry for entry in map(_parse_metric, rows)}


@cache
def absent_mbeans() -> Mapping[str, str]:
    """MBeans that have no metric of their own, with the reason."""
    from ottla.observability.tables import absent

    rows = (line.partition(" | ") for line in absent.ABSENT.strip().splitlines())
    return {mbean: reason for mbean, _, reason in rows}


def _parse_metric(row: str) -> MetricDefinition:
    name, kind, labels, unit, mbean, *rest, help_text = (column.strip() for column in row.split("|"))
    later = rest[0].removeprefix(_LATER).rstrip(".") if rest else None
    names = tuple(label.strip() for label in labels.split(",") if label.strip())
    return MetricDefinition(name, kind, names, unit or "ms", unit == "sum", mbean, help_text, later)
