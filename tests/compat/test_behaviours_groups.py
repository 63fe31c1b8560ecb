"""Groups and committed offsets, behaviours 42 to 54, by raw requests. The initial rebalance delay is 0 here."""

from collections.abc import Callable, Iterator

import pytest

from ottla.coordinators.group.requests import UNKNOWN_MEMBER
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest
from ottla.protocol.messages.leave_group import LeaveGroupRequest
from ottla.protocol.messages.list_groups import ListGroupsRequest
from support.broker import ON_BOTH_BROKERS, BrokerProcess
from support.eventually import eventually
from support.raw_group import (
    METADATA,
    RawMember,
    await_coordinator,
    delete_group,
    delete_offset,
    describe_group,
    fetch_offset,
    name,
    protocols,
    stable_group,
    subscription,
)
from support.raw_kafka import RawKafka

pytestmark = ON_BOTH_BROKERS

MakeMember = Callable[..., RawMember]


@pytest.fixture
def group(raw: RawKafka, fresh_name: Callable[[], str]) -> str:
    """The id of a group that nobody has used, with its coordinator ready."""
    group_id = fresh_name()
    await_coordinator(raw, group_id)
    return group_id


@pytest.fixture
def member(broker: BrokerProcess, group: str) -> Iterator[MakeMember]:
    """`member(instance_id=...)` is somebody who may join the group."""
    made: list[RawMember] = []

    def make(instance_id: str | None = None) -> RawMember:
        made.append(RawMember(broker.address, group, instance_id=instance_id))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_42_the_coordinator_is_found_by_group(raw: RawKafka, group: str):
    answer = raw.ask(FindCoordinatorRequest(coordinator_keys=[group, "another"]), 4)
    assert [(one.key, one.node_id, one.error_code) for one in answer.coordinators] == [(group, 0, 0), ("another", 0, 0)]
    single = raw.ask(FindCoordinatorRequest(key=group), 1)
    assert (single.error_code, single.error_message, single.node_id) == (0, "NONE", 0)


@pytest.mark.parametrize("version", [0, 3])
def test_43_old_versions_join_at_once(member: MakeMember, version: int):
    one = member()
    answer = one.join(version)
    assert (name(answer.error_code), answer.generation_id, answer.leader) == ("NONE", 1, one.member_id)
    assert one.member_id.startswith("raw-")


def test_43_new_versions_are_told_their_id_first(member: MakeMember):
    one = member()
    answer = one.join(4)
    assert name(answer.error_code) == "MEMBER_ID_REQUIRED"
    assert (answer.generation_id, answer.leader, answer.protocol_name) == (-1, "", "")
    assert one.member_id.startswith("raw-")
    assert one.join(4).generation_id == 1


def test_43_a_static_member_has_its_id_at_once(member: MakeMember):
    one = member("instance")
    assert name(one.join().error_code) == "NONE"
    assert one.member_id.startswith("instance-")


def test_44_what_a_member_may_not_ask_for(member: MakeMember):
    one = member()
    assert name(one.join(session_timeout_ms=5999).error_code) == "INVALID_SESSION_TIMEOUT"
    assert name(one.join(session_timeout_ms=1_800_001).error_code) == "INVALID_SESSION_TIMEOUT"
    assert name(one.join(group_id="").error_code) == "INVALID_GROUP_ID"
    assert name(one.join(protocol_type="").error_code) == "INCONSISTENT_GROUP_PROTOCOL"
    assert name(one.join(protocols=[]).error_code) == "INCONSISTENT_GROUP_PROTOCOL"
    assert name(one.join(member_id="nobody").error_code) == "UNKNOWN_MEMBER_ID"


def test_44_a_member_with_nothing_in_common_is_refused(member: MakeMember):
    stable_group(member())
    other = member()
    assert name(other.join(protocol_type="connect").error_code) == "INCONSISTENT_GROUP_PROTOCOL"
    assert name(other.join(protocols=protocols(sticky=METADATA)).error_code) == "INCONSISTENT_GROUP_PROTOCOL"


def test_45_the_others_are_waited_for_and_laggards_dropped(member: MakeMember):
    first, second = member(), member()
    first.join_at_last(rebalance_timeout_ms=1000)
    first.sync({first.member_id: b"all"})
    second.join(rebalance_timeout_ms=1000)
    answer = second.join(rebalance_timeout_ms=1000)  # The first does not come: after a second it is dropped.
    assert (answer.generation_id, answer.leader, len(answer.members)) == (2, second.member_id, 1)
    assert first.heartbeat() == "UNKNOWN_MEMBER_ID"


def test_46_the_leader_alone_is_told_the_members(member: MakeMember):
    leader, follower = member(), member()
    leader.join_at_last()
    follower.join()
    follower.send_join()
    eventually(lambda: leader.heartbeat() == "REBALANCE_IN_PROGRESS")
    told = leader.join()
    other = follower.joined()
    assert (told.leader, told.protocol_type, told.protocol_name) == (leader.member_id, "consumer", "range")
    assert {one.member_id: one.metadata for one in told.members} == {
        leader.member_id: METADATA,
        follower.member_id: METADATA,
    }
    assert (other.leader, other.members, other.generation_id) == (leader.member_id, [], 2)


def test_46_the_protocol_is_what_most_like_best_of_what_all_have(member: MakeMember):
    first, second, third = member(), member(), member()
    choices = {
        first: protocols(a=METADATA, b=METADATA, c=METADATA),
        second: protocols(b=METADATA, a=METADATA),
        third: protocols(d=METADATA, b=METADATA, a=METADATA),
    }
    first.join_at_last(protocols=choices[first])
    for one in (second, third):
        one.join(protocols=choices[one])
        one.send_join(protocols=choices[one])
    eventually(lambda: first.heartbeat() == "REBALANCE_IN_PROGRESS")
    answers = [first.join(protocols=choices[first]), second.joined(), third.joined()]
    assert {answer.protocol_name for answer in answers} == {"b"}


def test_47_a_follower_that_rejoins_unchanged_disturbs_nobody(member: MakeMember):
    leader, follower = member(), member()
    stable_group(leader, follower)
    generation = leader.generation
    answer = follower.join()
    assert (answer.generation_id, answer.leader, answer.members) == (generation, leader.member_id, [])
    assert leader.heartbeat() == "NONE"


@pytest.mark.parametrize("who", ["leader", "changed follower"])
def test_47_the_leader_or_changed_metadata_rebalance_the_group(member: MakeMember, who: str):
    leader, follower = member(), member()
    stable_group(leader, follower)
    one, other = (leader, follower) if who == "leader" else (follower, leader)
    one.send_join(protocols=protocols(range=METADATA if who == "leader" else subscription("changed")))
    eventually(lambda: other.heartbeat() == "REBALANCE_IN_PROGRESS")
    assert name(other.join().error_code) == "NONE"
    assert name(one.joined().error_code) == "NONE"
    assert one.generation == other.generation == 3


def test_47_a_join_that_is_sent_again_has_the_same_answer(member: MakeMember):
    leader = member()
    first = leader.join_at_last()
    assert leader.join() == first


def test_48_followers_wait_and_who_is_left_out_gets_nothing(member: MakeMember):
    leader, follower = member(), member()
    leader.join_at_last()
    follower.join()
    follower.send_join()
    eventually(lambda: leader.heartbeat() == "REBALANCE_IN_PROGRESS")
    leader.join()
    follower.joined()
    assert name(follower.sync(generation_id=1).error_code) == "ILLEGAL_GENERATION"
    assert name(follower.sync(member_id="nobody").error_code) == "UNKNOWN_MEMBER_ID"
    follower.send_sync()
    assert leader.sync({leader.member_id: b"all"}).assignment == b"all"
    assert (follower.synced().assignment, leader.sync().assignment) == (b"", b"all")


def test_48_version_5_says_which_protocol_it_means(member: MakeMember):
    leader = member()
    leader.join_at_last()
    wrong = {"protocol_type": "consumer", "protocol_name": "sticky"}
    assert name(leader.sync(version=5, **wrong).error_code) == "INCONSISTENT_GROUP_PROTOCOL"
    assert name(leader.sync(version=5).error_code) == "INCONSISTENT_GROUP_PROTOCOL"
    right = {"protocol_type": "consumer", "protocol_name": "range"}
    answer = leader.sync({leader.member_id: b"all"}, version=5, **right)
    assert (answer.assignment, answer.protocol_type, answer.protocol_name) == (b"all", "consumer", "range")


def test_49_heartbeats(member: MakeMember):
    leader = member()
    leader.join_at_last()
    assert leader.heartbeat() == "NONE"
    leader.sync({leader.member_id: b"all"})
    assert leader.heartbeat() == "NONE"
    assert leader.heartbeat(generation_id=0) == "ILLEGAL_GENERATION"
    assert leader.heartbeat(member_id="nobody") == "UNKNOWN_MEMBER_ID"
    assert leader.heartbeat(group_id="no such group") == "UNKNOWN_MEMBER_ID"
    assert leader.heartbeat(group_id="") == "INVALID_GROUP_ID"


def test_50_a_static_member_comes_back_without_a_rebalance(member: MakeMember):
    leader, static = member("leader"), member("static")
    leader.join_at_last()
    static.send_join()
    eventually(lambda: leader.heartbeat() == "REBALANCE_IN_PROGRESS")
    leader.join()
    static.joined()
    static.send_sync()
    leader.sync({leader.member_id: b"l", static.member_id: b"s"})
    static.synced()
    again = member("static")
    answer = again.join()
    assert (answer.generation_id, answer.leader, answer.members) == (2, leader.member_id, [])
    assert again.member_id != static.member_id
    assert again.sync().assignment == b"s"
    assert leader.heartbeat() == "NONE"
    assert static.heartbeat() == "FENCED_INSTANCE_ID"
    assert name(static.sync().error_code) == "FENCED_INSTANCE_ID"
    assert name(static.join().error_code) == "FENCED_INSTANCE_ID"
    assert static.leave(instance_id="static") == "FENCED_INSTANCE_ID"


@pytest.mark.parametrize("version", [8, 9])
def test_50_a_static_leader_that_comes_back_does_not_assign(member: MakeMember, version: int):
    leader = member("leader")
    stable_group(leader)
    again = member("leader")
    answer = again.join(version)
    assert answer.skip_assignment == (version >= 9)
    assert answer.leader == (again.member_id if version >= 9 else leader.member_id)
    assert len(answer.members) == (1 if version >= 9 else 0)


def test_51_members_leave_one_by_one_or_several(raw: RawKafka, member: MakeMember, group: str):
    one, static = member(), member("static")
    assert one.leave("nobody") == "UNKNOWN_MEMBER_ID"
    one.join()
    assert one.leave() == "NONE"  # It was pending.
    assert name(one.join().error_code) == "UNKNOWN_MEMBER_ID"
    stable_group(static)
    assert one.leave(UNKNOWN_MEMBER, "static") == "NONE"
    assert static.heartbeat() == "UNKNOWN_MEMBER_ID"
    old = raw.ask(LeaveGroupRequest(group_id=group, member_id="nobody"), 2)
    assert name(old.error_code) == "UNKNOWN_MEMBER_ID"


def test_52_who_may_commit(raw: RawKafka, member: MakeMember, make_topic, group: str):
    topic = make_topic()
    simple, one = member(), member()
    assert simple.commit(topic, 1, generation_id_or_member_epoch=3, member_id="m") == "ILLEGAL_GENERATION"
    assert simple.commit(topic, 1) == "NONE"
    one.join_at_last()
    assert one.commit(topic, 2) == "REBALANCE_IN_PROGRESS"
    assert simple.commit(topic, 2) == "UNKNOWN_MEMBER_ID"
    one.sync({one.member_id: b"all"})
    assert one.commit(topic, 2) == "NONE"
    assert one.commit(topic, 3, generation_id_or_member_epoch=0) == "ILLEGAL_GENERATION"
    assert one.commit(topic, 3, member_id="nobody") == "UNKNOWN_MEMBER_ID"
    assert simple.commit(topic, 3) == "UNKNOWN_MEMBER_ID"
    assert fetch_offset(raw, group, topic).committed_offset == 2


def test_52_metadata_is_limited_and_unknown_partitions_refused(raw: RawKafka, member: MakeMember, make_topic, group):
    topic = make_topic()
    one = member()
    assert one.commit(topic, 1, "x" * 4096) == "NONE"
    assert one.commit(topic, 2, "x" * 4097) == "OFFSET_METADATA_TOO_LARGE"
    assert one.commit(topic, 2, partition=7) == "UNKNOWN_TOPIC_OR_PARTITION"
    assert one.commit("no-such-topic", 2) == "UNKNOWN_TOPIC_OR_PARTITION"
    assert one.commit(topic, 3, None) == "NONE"
    stored = fetch_offset(raw, group, topic)
    assert (stored.committed_offset, stored.metadata) == (3, "")


@pytest.mark.parametrize("version", range(1, 8))
def test_53_nothing_committed_is_no_error(raw: RawKafka, group: str, make_topic, version: int):
    answer = fetch_offset(raw, group, make_topic(), version=version)
    assert (answer.committed_offset, answer.metadata, answer.error_code) == (-1, "", 0)


def test_54_groups_that_are_not_there(raw: RawKafka, group: str, make_topic):
    described = describe_group(raw, group)
    assert (described.error_code, described.group_state, described.members) == (0, "Dead", [])
    assert delete_group(raw, group) == "GROUP_ID_NOT_FOUND"
    assert delete_offset(raw, group, make_topic()) == ("GROUP_ID_NOT_FOUND", [])


def test_54_groups_with_members_and_without(raw: RawKafka, member: MakeMember, make_topic, group: str):
    topic, other = make_topic(), make_topic()
    one = member()
    one.join_at_last(protocols=protocols(range=subscription(topic)))
    one.sync({one.member_id: b"all"})
    for name_ in (topic, other):
        assert one.commit(name_, 5) == "NONE"
    described = describe_group(raw, group)
    assert (described.group_state, described.protocol_type, described.protocol_data) == ("Stable", "consumer", "range")
    (shown,) = described.members
    assert (shown.member_id, shown.client_id, shown.client_host) == (one.member_id, "raw", "/127.0.0.1")
    assert (shown.member_metadata, shown.member_assignment) == (subscription(topic), b"all")
    assert delete_group(raw, group) == "NON_EMPTY_GROUP"
    assert delete_offset(raw, group, topic) == ("NONE", ["GROUP_SUBSCRIBED_TO_TOPIC"])
    assert delete_offset(raw, group, other) == ("NONE", ["NONE"])
    assert fetch_offset(raw, group, other).committed_offset == -1
    listed = {one.group_id: one.group_state for one in raw.ask(ListGroupsRequest(states_filter=["Stable"]), 4).groups}
    assert listed[group] == "Stable"
    assert one.leave() == "NONE"
    assert describe_group(raw, group).group_state == "Empty"
    assert delete_group(raw, group) == "NONE"
    assert fetch_offset(raw, group, topic).committed_offset == -1
    assert describe_group(raw, group).group_state == "Dead"


def test_54_a_member_that_is_gone_is_missed_after_its_session(member: MakeMember):
    one, other = member(), member()
    stable_group(one, other)
    other.close()

    def is_missed() -> bool:
        return one.heartbeat() == "REBALANCE_IN_PROGRESS"

    eventually(is_missed)
    answer = one.join()
    assert (answer.generation_id, len(answer.members)) == (3, 1)
