"""A group of 50 members on 200 partitions comes to rest, and does so again when ten of them leave at once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from confluent_kafka import Consumer

from support.broker import ottla_broker
from support.eventually import eventually
from support.raw_kafka import create_topic

MEMBERS, PARTITIONS, LEAVING = 50, 200, 10
SETTINGS = {
    "group.id": "large",
    "log_level": 0,
    "broker.address.family": "v4",
    "session.timeout.ms": 30_000,
    "heartbeat.interval.ms": 1000,
}


@contextmanager
def consumers(address: str) -> Iterator[list[Consumer]]:
    opened = [Consumer({**SETTINGS, "bootstrap.servers": address}) for _ in range(MEMBERS)]
    try:
        yield opened
    finally:
        for consumer in opened:
            consumer.close()


def is_shared(members: Sequence[Consumer]) -> bool:
    """Every partition has one owner, and every member its fair part."""
    for member in members:
        member.poll(0.01)
    owned = [[part.partition for part in member.assignment()] for member in members]
    even = {len(partitions) for partitions in owned} <= {PARTITIONS // len(members)}
    return even and sorted(number for partitions in owned for number in partitions) == list(range(PARTITIONS))


@pytest.mark.long
def test_group_of_fifty_members_on_two_hundred_partitions_stabilises(tmp_path):
    with ottla_broker(tmp_path) as broker:
        create_topic(broker.address, "wide", PARTITIONS)
        with consumers(broker.address) as members:
            for member in members:
                member.subscribe(["wide"])
            eventually(lambda: is_shared(members), 90)
            for _ in range(LEAVING):
                members.pop().close()
            eventually(lambda: is_shared(members), 90)
