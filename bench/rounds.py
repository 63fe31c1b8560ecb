"""The order of measurements: per case one pass of each broker that does not count, then rounds in turn.

Both brokers are up all the time, so each is measured beside the other's idling, and what slows the machine down for a
while meets both. The first pass warms Kafka's JVM up for this very case; it is printed and not counted. A quick run
leaves out Ottla's, which has nothing to warm up.
"""

from bench.brokers import BrokerProcess, Kafka
from bench.measures import Case, CaseResult, Effort, Sample


def run_case(case: Case, brokers: list[BrokerProcess], effort: Effort) -> CaseResult:
    measured = [broker for broker in brokers if type(broker) in case.brokers]
    discarded: dict[str, Sample] = {}
    if case.first_pass_discarded:
        warming = [broker for broker in measured if effort.discards_all_first_passes or isinstance(broker, Kafka)]
        discarded = {broker.name: case.run(broker, effort) for broker in warming}
    rounds: dict[str, list[Sample]] = {broker.name: [] for broker in measured}
    for _ in range(case.rounds(effort)):
        for broker in measured:
            rounds[broker.name].append(case.run(broker, effort))
    return CaseResult(case, discarded, rounds)
