"""The assignors: pure computations, checked for what they promise."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.clients.consumer.assignors import Subscription, find_assignors
from ottla.clients.consumer.assignors.range_assignor import RangeAssignor
from ottla.clients.consumer.assignors.round_robin_assignor import RoundRobinAssignor
from ottla.clients.consumer.assignors.sticky_assignor import (
    CooperativeStickyAssignor,
    StickyAssignor,
    decode_user_data,
    encode_user_data,
)
from ottla.clients.consumer.group_protocol import (
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from ottla.errors import ConfigError
from ottla.model import TopicPartition


def partitions(*pairs: str) -> list[TopicPartition]:
    """`"t0"` is partition 0 of t."""
    return [TopicPartition(pair[:-1], int(pair[-1])) for pair in pairs]


def members(*names: str, topics: tuple[str, ...] = ("t", "u")) -> dict[str, Subscription]:
    return {name: Subscription(topics) for name in names}


def test_range_gives_the_first_members_one_more():
    assert RangeAssignor().assign({"t": 3, "u": 3}, members("b", "a")) == {
        "a": partitions("t0", "t1", "u0", "u1"),
        "b": partitions("t2", "u2"),
    }


def test_static_members_come_first_in_the_order_of_their_names():
    group = {"z": Subscription(("t",), group_instance_id="1"), "a": Subscription(("t",))}
    assert RangeAssignor().assign({"t": 3}, group) == {"z": partitions("t0", "t1"), "a": partitions("t2")}


def test_round_robin_deals_out_all_topics_in_one_go():
    assert RoundRobinAssignor().assign({"t": 3, "u": 3}, members("a", "b")) == {
        "a": partitions("t0", "t2", "u1"),
        "b": partitions("t1", "u0", "u2"),
    }


def test_round_robin_skips_members_that_do_not_want_a_topic():
    group = {"a": Subscription(("t",)), "b": Subscription(("t", "u"))}
    assert RoundRobinAssignor().assign({"t": 2, "u": 2}, group) == {
        "a": partitions("t0"),
        "b": partitions("t1", "u0", "u1"),
    }


def test_sticky_keeps_what_members_had_and_moves_only_what_it_must():
    before = partitions("t0", "t1", "t2", "t3")
    group = {
        "a": Subscription(("t",), user_data=encode_user_data(tuple(before), 3)),
        "b": Subscription(("t",)),
    }
    after = StickyAssignor().assign({"t": 4}, group)
    assert len(after["a"]) == len(after["b"]) == 2
    assert set(after["a"]) < set(before)


def test_cooperative_sticky_withholds_what_moves_for_one_round():
    owned = tuple(partitions("t0", "t1", "t2", "t3"))
    group = {"a": Subscription(("t",), owned, generation_id=3), "b": Subscription(("t",))}
    first = CooperativeStickyAssignor().assign({"t": 4}, group)
    assert len(first["a"]) == 2
    assert first["b"] == []
    group = {"a": Subscription(("t",), tuple(first["a"]), generation_id=4), "b": Subscription(("t",), generation_id=4)}
    second = CooperativeStickyAssignor().assign({"t": 4}, group)
    assert second["a"] == first["a"]
    assert sorted(second["a"] + second["b"]) == sorted(owned)


@pytest.mark.parametrize(("older", "expected"), [(2, "a"), (3, None)])
def test_of_two_owners_the_one_of_the_later_generation_is_right(older, expected):
    owned = tuple(partitions("t0"))
    group = {
        "a": Subscription(("t",), owned, generation_id=3),
        "b": Subscription(("t",), owned, generation_id=older),
        "c": Subscription(("t",)),
    }
    after = CooperativeStickyAssignor().assign({"t": 1}, group)
    holders = [name for name, given_to in after.items() if given_to]
    assert len(holders) == 1
    if expected:
        assert holders == [expected]


def test_members_without_a_topic_that_exists_get_nothing():
    for assignor in find_assignors("range,roundrobin,sticky,cooperative-sticky"):
        assert assignor.assign({}, members("a", topics=("gone",))) == {"a": []}


topics_strategy = st.dictionaries(st.sampled_from("tuvw"), st.integers(0, 9), min_size=1)
group_strategy = st.dictionaries(
    st.sampled_from(["m1", "m2", "m3", "m4", "m5"]),
    st.sets(st.sampled_from("tuvwx"), min_size=1).map(lambda wanted: Subscription(tuple(sorted(wanted)))),
    min_size=1,
)


@given(topics_strategy, group_strategy, st.sampled_from(["range", "roundrobin", "sticky", "cooperative-sticky"]))
def test_every_wanted_partition_has_exactly_one_owner_that_wants_it(topics, group, name):
    (assignor,) = find_assignors(name)
    assignment = assignor.assign(topics, group)
    assert set(assignment) == set(group)
    owners = Counter(partition for owned in assignment.values() for partition in owned)
    wanted = {topic for subscription in group.values() for topic in subscription.topics}
    expected = {TopicPartition(topic, index) for topic in topics if topic in wanted for index in range(topics[topic])}
    assert owners == Counter(expected)
    for member, owned in assignment.items():
        assert all(partition.topic in group[member].topics for partition in owned)


@given(topics_strategy, group_strategy, st.lists(st.sampled_from(["join", "leave"]), max_size=4))
def test_sticky_stays_balanced_and_steady_while_members_come_and_go(topics, group, changes):
    assignor = StickyAssignor()
    group = {name: Subscription(tuple(topics)) for name in group}
    assignment = assignor.assign(topics, group)
    for generation, change in enumerate(changes):
        if change == "leave" and len(group) > 1:
            group = dict(sorted(group.items())[1:])
        else:
            group = {**group, f"new-{generation}": Subscription(tuple(topics))}
        group = {
            name: subscription._replace(user_data=assignor.user_data(tuple(assignment.get(name, ())), generation))
            for name, subscription in group.items()
        }
        before, assignment = assignment, assignor.assign(topics, group)
        sizes = [len(owned) for owned in assignment.values()]
        assert max(sizes) - min(sizes) <= 1
        largest = max(sizes)
        for name, owned in assignment.items():
            kept = set(owned) & set(before.get(name, ()))
            assert len(kept) >= min(len(before.get(name, ())), largest - 1), "moved more than balance needs"


@given(st.lists(st.tuples(st.text("abc", min_size=1, max_size=3), st.integers(0, 99)), unique=True), st.integers(0, 99))
def test_the_user_data_of_sticky_comes_back(pairs, generation):
    owned = tuple(TopicPartition(*pair) for pair in pairs)
    decoded, decoded_generation = decode_user_data(encode_user_data(owned, generation))
    assert (set(decoded), decoded_generation) == (set(owned), generation)


@given(st.binary(max_size=60))
def test_user_data_of_somebody_else_claims_what_it_says_or_nothing(data):
    owned, _ = decode_user_data(data)
    assert isinstance(owned, tuple)


def test_subscriptions_and_assignments_come_back_as_they_were_sent():
    subscription = Subscription(("t", "u"), tuple(partitions("t0", "t1", "u0")), b"data", 7, "static", "rack")
    assert decode_subscription(encode_subscription(subscription), "static") == subscription
    assigned = tuple(partitions("t0", "t5", "u1"))
    assert decode_assignment(encode_assignment(assigned)) == assigned
    assert decode_assignment(b"") == ()


def test_assignors_are_found_by_name_by_java_class_and_as_objects():
    own = RangeAssignor()
    found = find_assignors(["org.apache.kafka.clients.consumer.StickyAssignor", "roundrobin", own, RangeAssignor])
    assert [assignor.name for assignor in found] == ["sticky", "roundrobin", "range", "range"]
    with pytest.raises(ConfigError, match="one of range, roundrobin, sticky, cooperative-sticky"):
        find_assignors("fair")
