import uuid

from ottla.controller import plans
from ottla.controller.state import BrokerRecord, ControllerState, StateChange
from ottla.coordination.payloads.brokers import BrokerInfo, Endpoint
from ottla.coordination.payloads.topics import LeaderAndIsr, TopicAssignment
from ottla.model import TopicPartition

P0, P1 = TopicPartition("t", 0), TopicPartition("t", 1)


def record(broker: int, epoch: int = 1, host: str = "h") -> BrokerRecord:
    return BrokerRecord(BrokerInfo((Endpoint("PLAINTEXT", host, 9092 + broker),), 0), epoch)


def state_with(*live: int) -> ControllerState:
    state = ControllerState(epoch=9, epoch_version=9)
    state.brokers = {broker: record(broker) for broker in live}
    state.put_topic("t", TopicAssignment({0: (1, 2), 1: (2, 3)}, uuid.UUID(int=1)), 0)
    return state


def test_new_partitions_wait_for_a_replica() -> None:
    state = state_with(1)
    assert plans.plan_new_partitions(state, [P0, P1]) == [StateChange(P0, LeaderAndIsr(1, 0, (1,), 9), -1)]
    assert plans.without_leader(state) == [P0, P1]


def test_topics_that_are_being_deleted_get_no_leaders() -> None:
    state = state_with(1, 2)
    state.put_state(P1, LeaderAndIsr(3, 0, (3, 2), 8), 0)
    state.deletions["t"] = set()
    assert plans.plan_new_partitions(state, [P0]) == []
    assert plans.plan_lost_replicas(state, [P0, P1], lambda _: True) == []
    assert plans.plan_preferred_leaders(state, [P1]) == []
    assert plans.without_leader(state) == []


def test_unclean_election_is_asked_for_only_where_no_leader_is_online() -> None:
    state, asked = state_with(1, 2, 3), []
    state.put_state(P0, LeaderAndIsr(1, 4, (1,), 8), 5)
    state.put_state(P1, LeaderAndIsr(7, 4, (7,), 8), 6)

    def unclean(topic: str) -> bool:
        asked.append(topic)
        return True

    assert plans.plan_lost_replicas(state, [P0, P1], unclean) == [StateChange(P1, LeaderAndIsr(2, 5, (2,), 9), 6)]
    assert asked == ["t"]


def test_replica_in_a_broken_directory_counts_as_gone() -> None:
    state = state_with(1, 2)
    state.put_state(P0, LeaderAndIsr(1, 0, (1, 2), 8), 0)
    state.offline_replicas = {1: {P0}}
    (change,) = plans.plan_lost_replicas(state, [P0], lambda _: False)
    assert (change.state.leader, change.state.isr) == (2, (2,))


def test_broker_that_came_back_is_both_gone_and_here() -> None:
    state = state_with(1, 2, 3)
    found = {1: record(1), 2: record(2, epoch=5), 3: record(3, host="moved"), 4: record(4)}
    difference = plans.compare_brokers(state, found)
    assert difference == (frozenset({2, 4}), frozenset({2}), frozenset({3}))


def test_broker_that_moves_is_not_gone() -> None:
    state = state_with(1)
    assert plans.compare_brokers(state, {1: record(1, host="moved")}).departed == frozenset()
