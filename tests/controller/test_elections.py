from hypothesis import given
from hypothesis import strategies as st

from ottla.controller import elections
from ottla.controller.state import PartitionRecord
from ottla.coordination.payloads.topics import LeaderAndIsr

EPOCH = 9


def record(replicas: tuple[int, ...], leader: int, isr: tuple[int, ...], epoch: int = 4) -> PartitionRecord:
    return PartitionRecord(replicas, state=LeaderAndIsr(leader, epoch, isr, 1), version=3)


def test_first_leader_is_the_first_replica_that_is_there() -> None:
    assert elections.first_state(PartitionRecord((1, 2, 3)), [2, 3], EPOCH) == LeaderAndIsr(2, 0, (2, 3), EPOCH)
    assert elections.first_state(PartitionRecord((1,)), [], EPOCH) is None


def test_leader_is_taken_from_the_isr_in_the_order_of_the_replicas() -> None:
    found = elections.after_losing_replicas(record((1, 2, 3), 1, (3, 2, 1)), [2, 3], EPOCH, unclean=False)
    assert found == LeaderAndIsr(2, 5, (3, 2), EPOCH)


def test_follower_that_is_gone_leaves_the_isr() -> None:
    found = elections.after_losing_replicas(record((1, 2), 1, (1, 2)), [1], EPOCH, unclean=False)
    assert found == LeaderAndIsr(1, 5, (1,), EPOCH)


def test_nothing_changes_when_only_a_replica_outside_the_isr_is_gone() -> None:
    assert elections.after_losing_replicas(record((1, 2), 1, (1,)), [1], EPOCH, unclean=True) is None


def test_no_leader_is_better_than_an_unclean_one() -> None:
    found = elections.after_losing_replicas(record((1, 2), 1, (1,)), [2], EPOCH, unclean=False)
    assert found == LeaderAndIsr(-1, 5, (1,), EPOCH)
    again = PartitionRecord((1, 2), state=found)
    assert elections.after_losing_replicas(again, [2], EPOCH, unclean=False) is None


def test_unclean_leader_is_elected_where_it_is_allowed() -> None:
    found = elections.after_losing_replicas(record((1, 2), 1, (1,)), [2], EPOCH, unclean=True)
    assert found == LeaderAndIsr(2, 5, (2,), EPOCH)


def test_replica_that_may_lack_records_leaves_the_isr_and_its_leadership() -> None:
    found = elections.without_lacking(record((1, 2, 3), 1, (1, 2, 3)), {1}, [1, 2, 3], EPOCH)
    assert found == LeaderAndIsr(2, 5, (2, 3), EPOCH)
    found = elections.without_lacking(record((1, 2, 3), 1, (1, 2, 3)), {2}, [1, 2, 3], EPOCH)
    assert found == LeaderAndIsr(1, 5, (1, 3), EPOCH)


def test_nobody_leads_while_only_replicas_that_may_lack_records_are_online() -> None:
    found = elections.without_lacking(record((1, 2, 3), 1, (1, 2, 3)), {1}, [1], EPOCH)
    assert found == LeaderAndIsr(-1, 5, (2, 3), EPOCH)


def test_last_in_sync_replica_leads_whatever_it_lacks() -> None:
    assert elections.without_lacking(record((1, 2), 1, (1,)), {1}, [1, 2], EPOCH) is None
    assert elections.without_lacking(record((1, 2), 1, (1, 2)), {1, 2}, [1, 2], EPOCH) is None


def test_preferred_leader_must_be_online_in_sync_and_not_leading() -> None:
    assert elections.elect_preferred(record((1, 2), 2, (2, 1)), [1, 2], EPOCH) == LeaderAndIsr(1, 5, (2, 1), EPOCH)
    assert elections.elect_preferred(record((1, 2), 1, (2, 1)), [1, 2], EPOCH) is None
    assert elections.elect_preferred(record((1, 2), 2, (2,)), [1, 2], EPOCH) is None
    assert elections.elect_preferred(record((1, 2), 2, (2, 1)), [2], EPOCH) is None


brokers = st.integers(0, 4)


@given(
    replicas=st.lists(brokers, unique=True, min_size=1).map(tuple),
    live=st.sets(brokers),
    unclean=st.booleans(),
    data=st.data(),
)
def test_any_loss_leaves_a_lawful_state(replicas, live, unclean, data) -> None:
    isr = tuple(data.draw(st.lists(st.sampled_from(replicas), unique=True, min_size=1)))
    leader = data.draw(st.sampled_from((-1, *isr)))
    before = record(replicas, leader, isr)
    online = [broker for broker in replicas if broker in live]
    found = elections.after_losing_replicas(before, online, EPOCH, unclean=unclean)
    if found is None:
        return
    assert found.leader_epoch == 5
    assert found.controller_epoch == EPOCH
    assert found.isr
    if found.leader == -1:
        assert found.isr == isr
        assert not set(isr) & live
    else:
        assert found.leader in live
        assert found.leader in found.isr
        assert set(found.isr) <= live
        assert found.leader in isr or (unclean and not set(isr) & live)
    after = PartitionRecord(replicas, state=found)
    assert elections.after_losing_replicas(after, online, EPOCH, unclean=unclean) is None
