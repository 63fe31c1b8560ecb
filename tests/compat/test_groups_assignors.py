"""Every assignor of every client, eager and cooperative, and static membership (KIP-345)."""

import pytest

from support.broker import BrokerProcess
from support.drivers.records import DriverError
from support.eventually import eventually
from support.group_members import MEMBER_CLIENTS, GroupMember, Members, await_shared, poll_all

PARTITIONS = 6
JAVA = "org.apache.kafka.clients.consumer."
JAVA_ASSIGNORS = {
    "range": JAVA + "RangeAssignor",
    "roundrobin": JAVA + "RoundRobinAssignor",
    "sticky": JAVA + "StickyAssignor",
    "cooperative-sticky": JAVA + "CooperativeStickyAssignor",
}
MISSING = {("confluent-kafka", "sticky"), ("aiokafka", "cooperative-sticky")}
ASSIGNORS = [
    (client, assignor) for client in MEMBER_CLIENTS for assignor in JAVA_ASSIGNORS if (client, assignor) not in MISSING
]

pytestmark = pytest.mark.long


def assignor_of(client: str, assignor: str) -> str:
    return JAVA_ASSIGNORS[assignor] if client.startswith("java") else assignor


def names(topic: str) -> list[str]:
    return [f"{topic}-{number}" for number in range(PARTITIONS)]


@pytest.mark.parametrize(("client_name", "assignor"), ASSIGNORS)
def test_three_members_share_by_an_assignor(
    broker: BrokerProcess, make_topic, members: Members, client_name: str, assignor: str
):
    topic = make_topic(PARTITIONS)
    strategy = assignor_of(client_name, assignor)
    first = members.add(client_name, broker.address, topic, [topic], partition_assignment_strategy=strategy)
    for _ in range(2):
        members.add(client_name, broker.address, topic, [topic], beside=first, partition_assignment_strategy=strategy)
    await_shared(members, names(topic))
    assert sorted(len(member.polled.assignment) for member in members) == [2, 2, 2]
    members.pop().leave()
    await_shared(members, names(topic))
    assert sorted(len(member.polled.assignment) for member in members) == [3, 3]


@pytest.mark.parametrize("client_name", [client for client, assignor in ASSIGNORS if assignor == "cooperative-sticky"])
def test_cooperative_member_gives_up_only_what_moves(
    broker: BrokerProcess, make_topic, members: Members, client_name: str
):
    topic = make_topic(PARTITIONS)
    strategy = assignor_of(client_name, "cooperative-sticky")
    first = members.add(client_name, broker.address, topic, [topic], partition_assignment_strategy=strategy)
    await_shared([first], names(topic))
    members.add(client_name, broker.address, topic, [topic], beside=first, partition_assignment_strategy=strategy)
    await_shared(members, names(topic))
    revoked = [partitions for name, partitions in first.polled.events if name == "revoked" and partitions]
    assert [len(partitions) for partitions in revoked] == [PARTITIONS // 2]
    assert first.polled.assignment.isdisjoint(revoked[0])


@pytest.mark.parametrize("client_name", MEMBER_CLIENTS)
def test_static_member_comes_back_without_a_rebalance(
    broker: BrokerProcess, make_topic, members: Members, client_name: str
):
    topic = make_topic(PARTITIONS)
    stays = members.add(client_name, broker.address, topic, [topic], group_instance_id="stays", **LONG_SESSION)
    killed = members.add(client_name, broker.address, topic, [topic], group_instance_id="killed", **LONG_SESSION)
    await_shared([stays, killed], names(topic))
    rebalances, owned = len(stays.polled.events), killed.polled.assignment
    killed.kill()
    back = members.add(client_name, broker.address, topic, [topic], group_instance_id="killed", **LONG_SESSION)
    await_shared([stays, back], names(topic))
    assert back.polled.assignment == owned
    poll_all([stays, back])
    assert len(stays.polled.events) == rebalances


@pytest.mark.parametrize("client_name", MEMBER_CLIENTS)
def test_duplicate_of_a_static_member_fences_the_first(
    broker: BrokerProcess, make_topic, members: Members, client_name: str
):
    topic = make_topic(PARTITIONS)
    first = members.add(client_name, broker.address, topic, [topic], group_instance_id="twin", **LONG_SESSION)
    await_shared([first], names(topic))
    second = members.add(client_name, broker.address, topic, [topic], group_instance_id="twin", **LONG_SESSION)
    await_shared([second], names(topic))
    eventually(lambda: is_fenced(first))
    second.poll()
    assert second.polled.assignment == set(names(topic))


LONG_SESSION = {"session_timeout_ms": "30000"}


def is_fenced(member: GroupMember) -> bool:
    """Clients tell it by an error, or by giving up what they had."""
    try:
        polled = member.poll()
        member.commit()
    except DriverError:
        return True
    return not polled.assignment
