"""Small requests: round trips, connections, and one-record produce requests, which show what a request costs."""

from functools import partial

from bench.brokers import BrokerProcess
from bench.driver import drive
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.topics import temporary_topic

CONNECTIONS_AT_ONCE = 20
PIPELINE_DEPTH = 50
VALUE_BYTES = 100


def per_request(sample: Sample, count: float) -> Sample:
    return sample | {
        "per_s": count / sample["elapsed_s"],
        "cpu_us": sample["broker_cpu_s"] / count * 1e6,
        "client_us": sample["client_cpu_s"] / count * 1e6,
    }


def round_trips(api: str, broker: BrokerProcess, effort: Effort) -> Sample:
    with temporary_topic(broker.port) as topic:
        sample = drive(
            "bench.raw_driver:round_trips",
            port=broker.port, pid=broker.pid, api=api, topic=topic, seconds=effort.seconds,
        )  # fmt: skip
    return per_request(sample, sample["requests"])


def connections(broker: BrokerProcess, effort: Effort) -> Sample:
    sample = drive(
        "bench.raw_driver:connections",
        port=broker.port, pid=broker.pid, seconds=effort.seconds, at_once=CONNECTIONS_AT_ONCE,
    )  # fmt: skip
    return per_request(sample, sample["connections"])


def one_record_raw(broker: BrokerProcess, effort: Effort) -> Sample:
    with temporary_topic(broker.port) as topic:
        sample = drive(
            "bench.raw_driver:pipelined",
            port=broker.port, pid=broker.pid, topic=topic, value_bytes=VALUE_BYTES, depth=PIPELINE_DEPTH,
            seconds=effort.seconds,
        )  # fmt: skip
    return per_request(sample, sample["requests"])


def one_record_client(broker: BrokerProcess, effort: Effort) -> Sample:
    with temporary_topic(broker.port) as topic:
        sample = drive(
            "bench.drivers_confluent:produce_one_by_one",
            port=broker.port, pid=broker.pid, topic=topic, value_bytes=VALUE_BYTES,
            seconds=effort.seconds,
        )  # fmt: skip
    return per_request(sample, sample["requests"])


CPU = Metric("cpu_us", "us", label="broker CPU each")
CLIENT_CPU = Metric("client_us", "us", label="client CPU each")
ROUND_TRIP = (Metric("p50_us", "us", label="p50"), Metric("p99_us", "us", label="p99"), CPU, CLIENT_CPU)
ONE_RECORD = (
    Metric("per_s", "/s", Must(at_least=5)),
    Metric("cpu_us", "us", Must(at_most=0.25), "broker CPU each"),
    CLIENT_CPU,
)
GROUP = "requests"

REQUEST_CASES = (
    Case("api-versions", GROUP, "ApiVersions round trip", partial(round_trips, "ApiVersions"), ROUND_TRIP),
    Case("metadata", GROUP, "Metadata round trip, one topic", partial(round_trips, "Metadata"), ROUND_TRIP),
    Case("connections", GROUP, "connect, ApiVersions, close", connections, (Metric("per_s", "/s"), CPU, CLIENT_CPU)),
    Case("one-record", GROUP, "one-record requests, pipelined, raw socket", one_record_raw, ONE_RECORD),
    Case("one-record-client", GROUP, "one-record requests, librdkafka, linger 0", one_record_client, ONE_RECORD),
)
