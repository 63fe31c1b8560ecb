"""Consumer groups of every client: members share, leave, crash; commits, seeks, pauses, patterns, lag."""

import time

import pytest

from support.broker import BrokerProcess
from support.eventually import eventually
from support.group_members import MEMBER_CLIENTS, GroupMember, Members, await_records, await_shared
from support.raw_kafka import RawKafka, create_topic
from support.raw_requests import LATEST, batch, list_offsets, produce

PARTITIONS = 4
EACH_CLIENT = pytest.mark.parametrize("client_name", MEMBER_CLIENTS)


@pytest.fixture
def topic(make_topic) -> str:
    name: str = make_topic(PARTITIONS)
    return name


def names(topic: str, count: int = PARTITIONS) -> list[str]:
    return [f"{topic}-{number}" for number in range(count)]


def fill(broker: BrokerProcess, topic: str, count: int = 5, partitions: int = PARTITIONS) -> None:
    records = batch(count, timestamps=[int(time.time() * 1000)] * count)
    with RawKafka(broker.address) as raw:
        for partition in range(partitions):
            assert produce(raw, topic, records, partition=partition).error_code == 0


def event_names(member: GroupMember) -> list[str]:
    return [name for name, partitions in member.polled.events if partitions]


@EACH_CLIENT
def test_two_members_share_and_one_takes_over(broker: BrokerProcess, topic: str, members: Members, client_name: str):
    first = members.add(client_name, broker.address, topic, [topic])
    await_shared([first], names(topic))
    second = members.add(client_name, broker.address, topic, [topic], beside=first)
    await_shared([first, second], names(topic))
    assert {"assigned", "revoked"} <= set(event_names(first))
    assert event_names(second) == ["assigned"]
    second.leave()
    await_shared([first], names(topic))
    fill(broker, topic)
    await_records([first], 5 * PARTITIONS)
    first.commit()
    assert [first.committed(topic, partition) for partition in range(PARTITIONS)] == [5] * PARTITIONS


@pytest.mark.long
@EACH_CLIENT
def test_six_members_come_and_go(broker: BrokerProcess, make_topic, members: Members, client_name: str):
    topic = make_topic(12)
    first = members.add(client_name, broker.address, topic, [topic])
    for _ in range(5):
        members.add(client_name, broker.address, topic, [topic], beside=first)
        await_shared(members, names(topic, 12))
    for _ in range(5):
        members.pop().leave()
        await_shared(members, names(topic, 12))


@pytest.mark.long
@EACH_CLIENT
def test_partitions_of_a_killed_member_move(broker: BrokerProcess, topic: str, members: Members, client_name: str):
    survivor = members.add(client_name, broker.address, topic, [topic])
    killed = members.add(client_name, broker.address, topic, [topic])
    await_shared([survivor, killed], names(topic))
    killed.kill()
    await_shared([survivor], names(topic))


@pytest.mark.long
@EACH_CLIENT
def test_commits_are_where_the_next_member_begins(
    broker: BrokerProcess, topic: str, members: Members, client_name: str
):
    fill(broker, topic)
    first = members.add(client_name, broker.address, topic, [topic])
    await_records([first], 5 * PARTITIONS)
    first.commit()
    assert [first.committed(topic, partition) for partition in range(PARTITIONS)] == [5] * PARTITIONS
    fill(broker, topic, 3)
    await_records([first], 3 * PARTITIONS)
    first.commit_async()
    eventually(lambda: first.poll() and [first.committed(topic, n) for n in range(PARTITIONS)] == [8] * PARTITIONS)
    first.leave()
    fill(broker, topic, 1)
    second = members.add(client_name, broker.address, topic, [topic], beside=first)
    assert {row["offset"] for row in await_records([second], PARTITIONS)} == {8}


@pytest.mark.long
@EACH_CLIENT
def test_member_seeks_pauses_and_resumes(broker: BrokerProcess, make_topic, members: Members, client_name: str):
    topic = make_topic()
    fill(broker, topic, 5, partitions=1)
    member = members.add(client_name, broker.address, topic, [topic])
    await_records([member], 5)
    member.seek(topic, 0, 2)
    assert sorted(row["offset"] for row in await_records([member], 3)) == [2, 3, 4]
    member.pause()
    member.poll()
    fill(broker, topic, 1, partitions=1)
    assert member.poll(timeout_ms=1000).records == []
    member.resume()
    assert [row["offset"] for row in await_records([member], 1)] == [5]


@pytest.mark.long
@EACH_CLIENT
def test_pattern_takes_in_topics_that_are_made_later(
    broker: BrokerProcess, fresh_name, members: Members, client_name: str
):
    stem = fresh_name()
    create_topic(broker.address, f"{stem}.one", 2)
    create_topic(broker.address, f"other.{stem}", 2)
    member = members.add(client_name, broker.address, stem, pattern=f"{stem}[.].*")
    await_shared([member], names(f"{stem}.one", 2))
    create_topic(broker.address, f"{stem}.two", 2)
    await_shared([member], names(f"{stem}.one", 2) + names(f"{stem}.two", 2))


@pytest.mark.long
@EACH_CLIENT
def test_lag_is_what_was_written_since_the_commit(
    broker: BrokerProcess, make_topic, members: Members, client_name: str
):
    topic = make_topic()
    fill(broker, topic, 5, partitions=1)
    member = members.add(client_name, broker.address, topic, [topic])
    await_records([member], 5)
    member.commit()
    fill(broker, topic, 7, partitions=1)
    with RawKafka(broker.address) as raw:
        assert list_offsets(raw, topic, LATEST).offset - member.committed(topic, 0) == 7


@pytest.mark.long
def test_members_of_all_clients_share_one_group(broker: BrokerProcess, make_topic, members: Members):
    topic = make_topic(12)
    fill(broker, topic, 5, partitions=12)
    for client_name in MEMBER_CLIENTS:
        members.add(client_name, broker.address, topic, [topic], partition_assignment_strategy=range_of(client_name))
        await_shared(members, names(topic, 12))
    for member in members:
        member.commit()
    while len(members) > 1:
        members.pop(0).leave()
        await_shared(members, names(topic, 12))


def range_of(client_name: str) -> str:
    return "org.apache.kafka.clients.consumer.RangeAssignor" if client_name.startswith("java") else "range"
