"""500 groups of four members in which nothing happens but heartbeats, one of each member every 3 s."""

from bench.brokers import BrokerProcess
from bench.driver import drive
from bench.measures import Case, Effort, Metric, Must, Sample

GROUPS = 500
MEMBERS = 4
BEAT_S = 3.0


def heartbeats(broker: BrokerProcess, effort: Effort) -> Sample:
    return drive(
        "bench.group_driver:heartbeats",
        port=broker.port, pid=broker.pid, groups=GROUPS, members=MEMBERS, beat_s=BEAT_S,
        seconds=max(2 * BEAT_S, 1.5 * effort.seconds),
    )  # fmt: skip


GROUP_CASES = (
    Case(
        "groups", "500 consumer groups of 4 members", "a heartbeat every 3 s", heartbeats,
        (
            Metric("core_percent", "% of a core", Must(at_most=5, of_ratio=False), "broker CPU"),
            Metric("beats_per_s", "/s", label="heartbeats"),
        ),
        first_pass_discarded=False, rounds=lambda effort: effort.starts,
    ),
)  # fmt: skip
