"""Classic groups on a real broker, with Java's consumer as another member."""

import itertools
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

import ottla
from ottla import TopicPartition
from ottla.clients.group_offsets import OffsetAndMetadata
from ottla.errors.kafka import FencedInstanceIdError, InconsistentGroupProtocolError
from support.eventually import eventually
from support.java_client import JavaClient
from support.librdkafka import write_topic

QUICK = {"auto_offset_reset": "earliest", "heartbeat_interval_ms": 50, "session_timeout_ms": 6000}


@pytest.fixture
def group(broker_address, name) -> Iterator[object]:
    """Makes consumers of one group, and closes them."""
    with ExitStack() as stack:

        def make(**config):
            consumer = ottla.Consumer(broker_address, group_id=name, **{**QUICK, **config})
            return stack.enter_context(consumer)

        yield make


def poll_all(consumers):
    return [record for consumer in consumers for record in consumer.poll(10)]


def settle(consumers, partitions_count):
    """Poll until every partition has one owner; the assignments."""

    def balanced():
        poll_all(consumers)
        owned = [consumer.assignment() for consumer in consumers]
        everything = [partition for each in owned for partition in each]
        done = len(everything) == len(set(everything)) == partitions_count and all(owned)
        return owned if done else None

    return eventually(balanced)


def test_a_lone_member_reads_everything_and_commits(group, broker_address, wide_topic, admin, name):
    write_topic(broker_address, wide_topic, [{"value": b"%d" % n, "partition": n % 4} for n in range(100)])
    consumer = group()
    consumer.subscribe([wide_topic])
    assert consumer.subscription() == {wide_topic}
    values = sorted(int(record.value) for record in itertools.islice(consumer, 100))
    assert values == list(range(100))
    consumer.commit()
    assert {partition: found.offset for partition, found in admin.list_group_offsets(name).items()} == {
        TopicPartition(wide_topic, index): 25 for index in range(4)
    }
    assert consumer.committed([(wide_topic, 0)])[wide_topic, 0].offset == 25
    (member,) = admin.describe_groups([name])[name].members
    assert member.assignment == consumer.assignment()


def test_the_next_member_goes_on_where_the_last_one_committed(group, broker_address, topic):
    write_topic(broker_address, topic, [{"value": b"%d" % n} for n in range(20)])
    first = group(enable_auto_commit=False)
    first.subscribe([topic])
    for record in first:
        if record.offset == 7:
            break
    first.commit()
    first.close()
    second = group(enable_auto_commit=True)
    second.subscribe([topic])
    for record in second:
        if record.offset == 12:
            break
    second.close()
    third = group(enable_auto_commit=False)
    third.subscribe([topic])
    assert next(iter(third)).offset == 13


def test_offsets_are_committed_by_themselves_in_time(group, broker_address, topic, admin, name):
    write_topic(broker_address, topic, [{"value": b"v"}] * 10)
    consumer = group(auto_commit_interval_ms=10)
    consumer.subscribe([topic])
    assert len(list(itertools.islice(consumer, 10))) == 10
    partition = TopicPartition(topic, 0)

    def committed():
        consumer.poll(10)
        return admin.list_group_offsets(name).get(partition, OffsetAndMetadata(-1)).offset == 10

    eventually(committed)


def test_explicit_offsets_and_asynchronous_commits(group, broker_address, topic):
    write_topic(broker_address, topic, [{"value": b"v"}] * 10)
    partition = TopicPartition(topic, 0)
    consumer = group(enable_auto_commit=False)
    consumer.subscribe([topic])
    consumer.poll(10_000)
    consumer.commit({partition: OffsetAndMetadata(3, "note")})
    assert consumer.committed([partition]) == {partition: OffsetAndMetadata(3, "note")}
    heard = threading.Event()
    outcomes = []

    def note(offsets, error):
        outcomes.append((offsets[partition].offset, error))
        heard.set()

    consumer.commit_async(callback=note)
    assert heard.wait(20)
    assert outcomes == [(10, None)]


@pytest.mark.parametrize("strategy", ["range", "roundrobin", "sticky", "cooperative-sticky"])
def test_members_share_partitions_and_take_over_from_those_who_leave(group, wide_topic, strategy):
    first = group(partition_assignment_strategy=strategy)
    first.subscribe([wide_topic])
    settle([first], 4)
    second = group(partition_assignment_strategy=strategy)
    second.subscribe([wide_topic])
    assert sorted(map(len, settle([first, second], 4))) == [2, 2]
    first.close()
    assert len(settle([second], 4)[0]) == 4


def test_listeners_hear_in_the_users_thread_and_may_commit(group, broker_address, wide_topic):
    write_topic(broker_address, wide_topic, [{"value": b"v", "partition": n % 4} for n in range(40)])
    first = group(enable_auto_commit=False)
    heard = []

    class Listener:
        def on_assigned(self, partitions):
            heard.append(("assigned", len(partitions), threading.current_thread()))

        def on_revoked(self, partitions):
            heard.append(("revoked", len(partitions), threading.current_thread()))
            first.commit()

    first.subscribe([wide_topic], listener=Listener())
    assert len(list(itertools.islice(first, 40))) == 40
    second = group(enable_auto_commit=False)
    second.subscribe([wide_topic])
    settle([first, second], 4)
    eventually(lambda: poll_all([first, second]) or len(heard) == 3)
    here = threading.current_thread()
    assert heard == [("assigned", 4, here), ("revoked", 4, here), ("assigned", 2, here)]
    assert second.poll(100) == [], "what was read before was committed in on_revoked"


def test_a_cooperative_member_keeps_what_does_not_move(group, wide_topic):
    heard = []

    class Listener:
        def on_revoked(self, partitions):
            heard.append(set(partitions))

    first = group(partition_assignment_strategy="cooperative-sticky")
    first.subscribe([wide_topic], listener=Listener())
    (before,) = settle([first], 4)
    second = group(partition_assignment_strategy="cooperative-sticky")
    second.subscribe([wide_topic])
    after, moved = settle([first, second], 4)
    assert after < before
    assert heard == [set(moved)]


def test_a_pattern_finds_topics_that_come_later_and_leaves_out_the_excluded(broker_address, admin, name):
    for suffix in ("a", "b", "skip"):
        admin.create_topic(f"{name}-{suffix}", 1)
    with ottla.Consumer(broker_address, group_id=name, metadata_max_age_ms=200, **QUICK) as consumer:
        consumer.subscribe(pattern=f"{name}-.*", exclude=".*-skip")
        settle([consumer], 2)
        admin.create_topic(f"{name}-c", 1)
        settle([consumer], 3)
        assert consumer.subscription() == {f"{name}-{suffix}" for suffix in "abc"}


def test_added_partitions_are_found(broker_address, topic, admin, name):
    with ottla.Consumer(broker_address, group_id=name, metadata_max_age_ms=200, **QUICK) as consumer:
        consumer.subscribe([topic])
        settle([consumer], 1)
        admin.create_partitions({topic: 3}).check()
        settle([consumer], 3)


def test_a_static_member_comes_back_without_a_rebalance_and_its_double_is_fenced(group, wide_topic, admin, name):
    other = group()
    other.subscribe([wide_topic])
    static = group(group_instance_id="till-1")
    static.subscribe([wide_topic])
    before = settle([other, static], 4)[1]
    static.close()
    again = group(group_instance_id="till-1")
    again.subscribe([wide_topic])
    assert settle([other, again], 4)[1] == before
    double = group(group_instance_id="till-1")
    double.subscribe([wide_topic])
    eventually(lambda: double.poll(20) or double.assignment())
    with pytest.raises(FencedInstanceIdError):
        eventually(lambda: again.poll(20))
    admin.remove_members(name, ["till-1"])


def test_a_member_that_does_not_poll_loses_its_partitions(group, wide_topic):
    lost = []

    class Listener:
        def on_lost(self, partitions):
            lost.append(len(partitions))

    lazy = group(max_poll_interval_ms=300)
    lazy.subscribe([wide_topic], listener=Listener())
    settle([lazy], 4)
    eager = group()
    eager.subscribe([wide_topic])
    settle([eager], 4)
    settle([lazy, eager], 4)
    assert lost == [4]


def test_members_without_a_common_assignor_are_refused(group, topic):
    first = group(partition_assignment_strategy="range")
    first.subscribe([topic])
    settle([first], 1)
    second = group(partition_assignment_strategy="sticky")
    second.subscribe([topic])
    with pytest.raises(InconsistentGroupProtocolError):
        second.poll(10_000)


def test_unsubscribing_leaves_the_group(group, topic, admin, name):
    consumer = group()
    consumer.subscribe([topic])
    settle([consumer], 1)
    consumer.unsubscribe()
    assert consumer.assignment() == frozenset()
    eventually(lambda: admin.describe_groups([name])[name].state == "Empty")
    consumer.assign([(topic, 0)])
    assert consumer.poll(10) == []


@pytest.fixture(scope="module")
def java(broker_address) -> Iterator[JavaClient]:
    with JavaClient("4.3.0", broker_address) as client:
        yield client


JAVA_ASSIGNORS = {
    "range": "RangeAssignor",
    "roundrobin": "RoundRobinAssignor",
    "sticky": "StickyAssignor",
    "cooperative-sticky": "CooperativeStickyAssignor",
}


@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize(
    "strategy",
    ["range", "cooperative-sticky", *(pytest.param(name, marks=pytest.mark.long) for name in ("roundrobin", "sticky"))],
)
def test_java_and_we_share_a_group_whoever_leads(group, java, broker_address, wide_topic, name, strategy, ours_first):
    """The first member leads: its assignor reads the other's subscription, the other reads its assignment."""
    java_config = {
        "group.id": name,
        "auto.offset.reset": "earliest",
        "heartbeat.interval.ms": "50",
        "partition.assignment.strategy": f"org.apache.kafka.clients.consumer.{JAVA_ASSIGNORS[strategy]}",
    }
    ours = group(partition_assignment_strategy=strategy)
    theirs: dict[str, object] = {}

    def java_poll():
        theirs.update(java.ask("poll", consumer=name, count=1, timeout_ms=50))
        return theirs["assignment"]

    def shared():
        java_assignment = set(java_poll())
        ours.poll(20)
        our_assignment = {str(partition) for partition in ours.assignment()}
        return len(java_assignment) == len(our_assignment) == 2 and not java_assignment & our_assignment

    def open_java():
        java.ask("open", consumer=name, topics=[wide_topic], config=java_config)
        if not ours_first:
            eventually(lambda: len(java_poll()) == 4)

    def open_ours():
        ours.subscribe([wide_topic])
        if ours_first:
            settle([ours], 4)

    for step in (open_ours, open_java) if ours_first else (open_java, open_ours):
        step()
    eventually(shared)
    java.ask("close", consumer=name)
    settle([ours], 4)


def test_interceptors_see_what_is_read_and_committed(group, broker_address, topic):
    class OnlyEven:
        def __init__(self):
            self.committed = []

        def on_consume(self, records):
            return [record for record in records if int(record.value) % 2 == 0]

        def on_commit(self, offsets):
            self.committed += [found.offset for found in offsets.values()]

    seen = OnlyEven()
    write_topic(broker_address, topic, [{"value": b"%d" % n} for n in range(10)])
    consumer = group(interceptor_classes=[seen], enable_auto_commit=False)
    consumer.subscribe([topic])
    assert [int(record.value) for record in itertools.islice(consumer, 5)] == [0, 2, 4, 6, 8]
    assert consumer.poll(20) == []
    consumer.commit()
    assert seen.committed == [10]


def test_a_group_may_commit_for_partitions_that_were_assigned_by_hand(broker_address, topic, group, admin, name):
    write_topic(broker_address, topic, [{"value": b"1"}, {"value": b"2"}])
    consumer = group(enable_auto_commit=False)
    consumer.assign([(topic, 0)])
    assert [record.value for record in itertools.islice(consumer, 1)] == [b"1"]
    consumer.commit()
    assert [found.offset for found in admin.list_group_offsets(name).values()] == [1]
    assert [record.value for record in consumer.poll(timeout_ms=2**31)] == [b"2"]


def test_streams_divide_a_topic_over_threads(broker_address, wide_topic, name, admin):
    values = {b"%d" % n for n in range(400)}
    write_topic(
        broker_address, wide_topic, [{"value": value, "partition": n % 4} for n, value in enumerate(sorted(values))]
    )
    seen = {0: [], 1: []}
    with ottla.Consumer(broker_address, group_id=name, enable_auto_commit=False, **QUICK) as consumer:
        streams = consumer.streams({wide_topic: 2})[wide_topic]

        def work(index):
            for record in streams[index]:
                seen[index].append((record.partition, record.value))

        threads = [threading.Thread(target=work, args=(index,)) for index in (0, 1)]
        for thread in threads:
            thread.start()
        eventually(lambda: {value for _, value in seen[0] + seen[1]} == values)
        eventually(lambda: sorted(len(member.assignment) for member in members(admin, name)) == [2, 2])

        def committed():
            consumer.commit()  # what was read before the second stream came is read again
            return sum(found.offset for found in admin.list_group_offsets(name).values())

        eventually(lambda: committed() == 400)
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def test_streams_by_pattern(broker_address, topic, name, admin):
    write_topic(broker_address, topic, [{"value": b"v"}])
    with ottla.Consumer(broker_address, group_id=name, **QUICK) as consumer:
        (stream,) = consumer.streams(pattern=topic, count=1)
        assert next(iter(stream)).value == b"v"


def members(admin, name):
    return admin.describe_groups([name])[name].members
