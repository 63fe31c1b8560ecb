"""Ottla's own clients beside confluent-kafka, aiokafka and kafka-python, all on one Ottla broker, 100-byte records.

A round runs every client once, one after the other, so that what slows the machine down meets all of them. The rate is
what must be shown; CPU per record says the same with less noise. Calls that take many records at once are compared
with confluent-kafka's own calls of that kind, the quickest that it has.
"""

from functools import partial
from typing import NamedTuple

from bench.brokers import BrokerProcess, Ottla
from bench.driver import drive
from bench.measures import Case, Effort, Metric, Must, Sample
from bench.topics import temporary_topic

VALUE_BYTES = 100
# Records per second of effort, by how quick a client is: each runs for about as long.
RECORDS_PER_S = {"kafka-python": 25_000, "aiokafka": 25_000}
RECORDS_PER_S_OTHERS = 250_000
OURS, CONFLUENT, KAFKA_PYTHON, AIOKAFKA = "ottla", "confluent", "kafka-python", "aiokafka"


class Contest(NamedTuple):
    """One kind of call: whose driver it is, and the name of every client's entry there."""

    function: str
    entries: dict[str, str]


def records_of(entry: str, effort: Effort) -> int:
    return int(RECORDS_PER_S.get(entry, RECORDS_PER_S_OTHERS) * effort.seconds) // 1_000 * 1_000


def produce(entry: str, broker: BrokerProcess, effort: Effort) -> Sample:
    where = {"port": broker.port, "pid": broker.pid}
    with temporary_topic(broker.port) as topic:
        count = records_of(entry, effort)
        return drive(
            "bench.drivers_clients:produce", **where, client=entry, topic=topic, value_bytes=VALUE_BYTES, count=count
        )


def consume(entry: str, broker: BrokerProcess, effort: Effort) -> Sample:
    where = {"port": broker.port, "pid": broker.pid}
    count = records_of(entry, effort)
    with temporary_topic(broker.port) as topic:
        drive(
            "bench.drivers_clients:produce", **where, client="ottla-send_many", topic=topic,
            value_bytes=VALUE_BYTES, count=count,
        )  # fmt: skip
        return drive("bench.drivers_clients:consume", **where, client=entry, topic=topic, count=count)


def contest(contestants: Contest, broker: BrokerProcess, effort: Effort) -> Sample:
    """One round of all clients: each one's rate and CPU, and how often Ottla's rate holds each other's."""
    run = produce if contestants.function == "produce" else consume
    samples = {client: run(entry, broker, effort) for client, entry in contestants.entries.items()}
    rates = {client: sample["records"] / sample["elapsed_s"] for client, sample in samples.items()}
    found: Sample = {}
    for client, sample in samples.items():
        found[f"{client}_rate"] = rates[client]
        found[f"{client}_us"] = sample["client_cpu_s"] * 1e6 / sample["records"]
        found[f"times_{client}"] = rates[OURS] / rates[client]
    return found


def _metrics(clients: list[str], times_confluent: float, times_kafka_python: float | None) -> tuple[Metric, ...]:
    musts = {CONFLUENT: Must(at_least=times_confluent, of_ratio=False)}
    if times_kafka_python is not None:
        musts[KAFKA_PYTHON] = Must(at_least=times_kafka_python, of_ratio=False)
    others = [client for client in clients if client != OURS]
    return (
        *(Metric(f"times_{client}", "times", musts.get(client), f"over {client}") for client in others),
        *(Metric(f"{client}_rate", "records/s", label=client) for client in clients),
        *(Metric(f"{client}_us", "us", label=f"{client}, CPU per record") for client in clients),
    )


def _case(
    call: str, function: str, confluent: str, times_confluent: float, times_kafka_python: float | None = None
) -> Case:
    entries = {OURS: f"ottla-{call}", CONFLUENT: f"confluent-{confluent}"}
    if times_kafka_python is not None:
        entries |= {KAFKA_PYTHON: KAFKA_PYTHON, AIOKAFKA: AIOKAFKA}
    return Case(
        f"clients-{call}",
        "clients",
        f"{call} (confluent's {confluent}), 100 B",
        partial(contest, Contest(function, entries)),
        _metrics(list(entries), times_confluent, times_kafka_python),
        brokers=(Ottla,),
        first_pass_discarded=False,
    )


CLIENT_CASES = (
    _case("send", "produce", "produce", 0.5, 3.0),
    _case("send_many", "produce", "produce_batch", 1.0),
    _case("send_arrow", "produce", "produce_batch", 1.0),
    _case("iterate", "consume", "poll", 0.5, 3.0),
    _case("poll_arrow", "consume", "consume", 1.0),
)
