"""Brokers and leaders that are away: said in the log when that begins and when it is over, not in between.

A client goes on trying for as long as its time limits allow. Without a line a person would see nothing but silence:
which address refuses, which partition nobody leads. Warnings reach standard error even where no logging is set up.
"""

import logging
from collections.abc import Iterable

from ottla.clients.addresses import Address
from ottla.clients.by_topic import partitions_by_topic
from ottla.clients.snapshot import ClusterSnapshot
from ottla.model import TopicPartition

logger = logging.getLogger(__name__)

_PARTITIONS_NAMED_MAX = 10


class Outages:
    """What one client misses now."""

    def __init__(self) -> None:
        self._away: set[Address] = set()
        self._leaderless: set[TopicPartition] = set()
        self._suspected: set[TopicPartition] = set()

    def note_refused(self, address: Address, error: Exception) -> None:
        """No connection came about; the error names the address."""
        if address not in self._away:
            self._away.add(address)
            logger.warning("%s; trying again", error)

    def note_connected(self, address: Address) -> None:
        if address in self._away:
            self._away.remove(address)
            logger.warning("%s: connected again", address)

    def note_snapshot(self, snapshot: ClusterSnapshot, topics: Iterable[str]) -> None:
        """A new picture of the cluster. A partition counts as leaderless from the second on that has no leader for it:
        a new topic has none for a moment."""
        missing = {
            TopicPartition(name, partition)
            for name in topics
            if (topic := snapshot.topics.get(name)) is not None
            for partition in topic.partitions
            if snapshot.leader_of(name, partition) is None
        }
        begun = (missing & self._suspected) - self._leaderless
        over = self._leaderless - missing
        self._suspected = missing
        self._leaderless = self._leaderless - over | begun
        for name, partitions in partitions_by_topic(sorted(begun)).items():
            replicas = sorted({node for one in partitions for node in snapshot.topics[name].partitions[one].replicas})
            on = f" (on broker {', '.join(map(str, replicas))})" if replicas else ""
            logger.warning("%s has no leader%s; waiting for one", _named(name, partitions), on)
        led = [one for one in over if snapshot.leader_of(*one) is not None]  # the others are gone with their topic
        for name, partitions in partitions_by_topic(sorted(led)).items():
            logger.warning("%s has a leader again", _named(name, partitions))


def _named(topic: str, partitions: list[int]) -> str:
    if len(partitions) == 1:
        return f"{topic}-{partitions[0]}"
    shown = ", ".join(map(str, partitions[:_PARTITIONS_NAMED_MAX]))
    more = ", ..." if len(partitions) > _PARTITIONS_NAMED_MAX else ""
    return f"each of {len(partitions)} partitions of {topic} ({shown}{more})"
