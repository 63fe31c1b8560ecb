"""All cases, in the order in which they run: memory after load comes last."""

from bench.cases.clients import CLIENT_CASES
from bench.cases.cluster import CLUSTER_CASES
from bench.cases.command import COMMAND_CASES
from bench.cases.consume import CONSUME_CASES
from bench.cases.groups import GROUP_CASES
from bench.cases.idle import IDLE_CASES
from bench.cases.large_fetch import LARGE_FETCH_CASES
from bench.cases.latency import LATENCY_CASES
from bench.cases.produce import PRODUCE_CASES
from bench.cases.requests import REQUEST_CASES
from bench.cases.spark import SPARK_CASES
from bench.cases.spark_load import SPARK_LOAD_CASES
from bench.cases.spark_sink import SPARK_SINK_CASES
from bench.cases.start import LOADED_CASES, START_CASES
from bench.measures import Case

ALL_CASES: tuple[Case, ...] = (
    *START_CASES,
    *COMMAND_CASES,
    *REQUEST_CASES,
    *PRODUCE_CASES,
    *CONSUME_CASES,
    *LARGE_FETCH_CASES,
    *LATENCY_CASES,
    *IDLE_CASES,
    *GROUP_CASES,
    *CLUSTER_CASES,
    *CLIENT_CASES,
    *SPARK_CASES,
    *SPARK_LOAD_CASES,
    *SPARK_SINK_CASES,
    *LOADED_CASES,
)
