"""Leaders moved while everybody is well: to the preferred replica, away from a broker that will stop, or, on demand,
to a replica outside the ISR when no other is left.

    ElectLeaders                        preferred or unclean, for some partitions or all
    /admin/preferred_replica_election   preferred, by a tool (`notifications`)
    auto.leader.rebalance.enable        preferred, where a broker leads too few of those that it should
    ControlledShutdown                  away from the broker; its replicas leave the ISRs
"""

import logging
from collections.abc import Iterable, Sequence
from functools import partial

from ottla.controller import elections, plans
from ottla.controller.context import ControllerContext
from ottla.controller.state import StateChange
from ottla.errors import KafkaError
from ottla.errors.kafka import (
    BrokerNotAvailableError,
    ElectionNotNeededError,
    EligibleLeadersNotAvailableError,
    PreferredLeaderNotAvailableError,
    StaleBrokerEpochError,
    UnknownTopicOrPartitionError,
)
from ottla.model import TopicPartition

log = logging.getLogger(__name__)

PREFERRED, UNCLEAN = 0, 1

Outcomes = dict[TopicPartition, KafkaError | None]


class LeaderMoves:
    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._state = context.state

    # On demand

    async def elect(self, election_type: int, partitions: Sequence[TopicPartition] | None) -> Outcomes:
        """For each partition that was named, or of all those that needed an election, what became of it."""
        asked = list(self._state.partitions) if partitions is None else list(dict.fromkeys(partitions))
        refused = {partition: self._refusal(election_type, partition) for partition in asked}
        wanted = [partition for partition in asked if refused[partition] is None]
        if election_type == UNCLEAN:
            changed = await self._change(lambda: self._plan_unclean(wanted))
        else:
            changed = await self._change(lambda: plans.plan_preferred_leaders(self._state, wanted))
        outcomes: Outcomes = dict(refused)
        for partition in wanted:
            if partition not in changed:
                outcomes[partition] = _not_available(election_type)
        if partitions is None:
            outcomes = {p: e for p, e in outcomes.items() if not isinstance(e, ElectionNotNeededError)}
        return outcomes

    def _refusal(self, election_type: int, partition: TopicPartition) -> KafkaError | None:
        record = self._state.partitions.get(partition)
        if record is None or partition.topic in self._state.deletions:
            return UnknownTopicOrPartitionError("The partition does not exist.")
        if election_type == PREFERRED:
            is_needless = bool(record.replicas) and record.leader == record.replicas[0]
        else:
            is_needless = self._state.is_online(record.leader, partition)
        return ElectionNotNeededError("Leader election not needed for topic partition.") if is_needless else None

    def _plan_unclean(self, partitions: Iterable[TopicPartition]) -> list[StateChange]:
        changes = []
        for partition in partitions:
            record = self._state.partitions[partition]
            online = self._state.online(record.replicas, partition)
            following = elections.elect_offline(record, online, self._state.epoch, unclean=True)
            if following is not None:
                changes.append(StateChange(partition, following, record.version))
        return changes

    # Automatic

    async def rebalance(self, imbalance_percentage: int) -> None:
        """Give brokers back what they should lead, where they lead too little of it."""
        for broker, (preferred, elsewhere) in plans.leader_imbalance(self._state).items():
            if len(elsewhere) * 100 > preferred * imbalance_percentage and broker in self._state.brokers:
                moved = await self._change(partial(plans.plan_preferred_leaders, self._state, elsewhere))
                if moved:
                    log.info("%d partitions are led by broker %d again, their first replica", len(moved), broker)

    # Controlled shutdown

    async def shut_down(self, broker_id: int, broker_epoch: int) -> list[TopicPartition]:
        """Take everything off a broker that wants to stop; the partitions that it still leads."""
        registered = self._state.brokers.get(broker_id)
        if registered is None:
            raise BrokerNotAvailableError(f"Broker id {broker_id} does not exist.")
        if broker_epoch != -1 and broker_epoch < registered.epoch:
            raise StaleBrokerEpochError(f"Broker {broker_id} is registered in epoch {registered.epoch}.")
        log.info("broker %d shuts down", broker_id)
        self._state.shutting_down.add(broker_id)
        await self._change(lambda: plans.plan_shutdown(self._state, broker_id))
        return [
            partition
            for partition, record in self._state.partitions.items()
            if record.leader == broker_id and len(record.replicas) > 1
        ]

    async def _change(self, plan: "plans.Plan") -> set[TopicPartition]:
        changed = await self._context.change(plan)
        batch = self._context.batch()
        batch.changed(changed.partitions)
        self._context.send(batch)
        return changed.partitions


def _not_available(election_type: int) -> KafkaError:
    if election_type == UNCLEAN:
        return EligibleLeadersNotAvailableError("No replica of the partition is online.")
    return PreferredLeaderNotAvailableError("The preferred leader was not available.")
