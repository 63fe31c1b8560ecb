"""Load for the JVM before anything is measured: its compiler takes a while to find what is called often.

The first pass of each case, which does not count, comes on top. Ottla has nothing that would grow warm.
"""

import itertools
import time

from bench.brokers import BrokerProcess, Kafka
from bench.cases.consume import consume
from bench.cases.requests import one_record_client, one_record_raw, round_trips
from bench.measures import QUICK, Effort


def warm_up(brokers: list[BrokerProcess], effort: Effort) -> None:
    for broker in brokers:
        if isinstance(broker, Kafka):
            _load_for(effort.warm_up_s, broker)


def _load_for(seconds: float, broker: BrokerProcess) -> None:
    end = time.monotonic() + seconds
    for step in itertools.count():
        if time.monotonic() >= end:
            return
        _one_kind(step, broker)


def _one_kind(step: int, broker: BrokerProcess) -> None:
    kinds = (
        lambda: one_record_raw(broker, QUICK),
        lambda: consume(1_000, "none", 1, 1, False, broker, QUICK),
        lambda: round_trips("Metadata", broker, QUICK),
        lambda: one_record_client(broker, QUICK),
        lambda: consume(1_000, "none", 10, 1, False, broker, QUICK),
    )
    kinds[step % len(kinds)]()
