"""The order of measurements: per case one pass of each broker that does not count, then rounds in turn.

Both brokers are up all the time, and what slows the machine down for a while meets both. The one that is not measured
is stopped by a signal: Kafka's idling costs up to a tenth of a core, and whoever uses a broker does not run the other
beside it. The first pass warms Kafka's JVM up for this very case; it is printed and not counted. A quick run leaves
out Ottla's, which has nothing to warm up.
"""

import contextlib
from collections.abc import Iterator

from bench.brokers import BrokerProcess, Kafka
from bench.free_memory import touch_free_memory
from bench.measures import Case, CaseResult, Effort, Sample


def run_case(case: Case, brokers: list[BrokerProcess], effort: Effort) -> CaseResult:
    measured = [broker for broker in brokers if isinstance(broker, case.brokers)]

    def one_round(broker: BrokerProcess) -> Sample:
        touch_free_memory(effort.memory_megabytes)
        with alone(broker, brokers):
            return case.run(broker, effort)

    discarded: dict[str, Sample] = {}
    if case.first_pass_discarded:
        warming = [broker for broker in measured if effort.discards_all_first_passes or isinstance(broker, Kafka)]
        discarded = {broker.name: one_round(broker) for broker in warming}
    rounds: dict[str, list[Sample]] = {broker.name: [] for broker in measured}
    for _ in range(case.rounds(effort)):
        for broker in measured:
            rounds[broker.name].append(one_round(broker))
    return CaseResult(case, discarded, rounds)


@contextlib.contextmanager
def alone(broker: BrokerProcess, brokers: list[BrokerProcess]) -> Iterator[None]:
    """The other brokers do nothing meanwhile."""
    others = [other for other in brokers if other is not broker]
    try:
        for other in others:
            other.pause()
        yield
    finally:
        for other in others:
            other.resume()
