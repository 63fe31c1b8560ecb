"""KIP-320: a log that lost records which a consumer has read. The leader is stopped and its log cut by hand.

Another broker is the controller: it notes that the leader went and came, and raises the leader epoch.
"""

from pathlib import Path

import pytest

import ottla
from ottla.clients.consumer.fetch_state import Divergence, FetchState
from ottla.clients.consumer.position_validation import resolve
from ottla.clients.errors import LogTruncationError
from ottla.clients.offset_lookup import OffsetSpec
from ottla.model import TopicPartition
from ottla.records.batch import iterate_batches
from ottla.testing import EmbeddedBroker
from support.eventually import eventually

READ, KEPT = 6, 3


@pytest.fixture
def broker(tmp_path):
    with EmbeddedBroker(brokers=2, directory=tmp_path) as running:
        with ottla.Admin(running.bootstrap_servers) as admin:
            admin.create_topics([ottla.NewTopic("t", assignment={0: [1]})]).check()
        yield running


def write(broker, *values):
    with ottla.Producer(broker.bootstrap_servers, enable_idempotence=False) as producer:
        for value in values:
            producer.send("t", value).result(20)


def restart_leader(broker) -> None:
    """Stop the leader, let the controller take note, start it again."""
    with ottla.Admin(broker.brokers[0].address) as admin:
        broker.brokers[1].stop()
        eventually(lambda: admin.describe_topics(["t"])["t"].partitions[0].leader == -1)
        broker.brokers[1].start()


def lose_records(broker, directory: Path, kept: int) -> None:
    """The leader comes back with the first `kept` records only (of one batch each)."""
    broker.brokers[1].stop()
    (segment,) = directory.rglob("t-0/*.log")
    data = segment.read_bytes()
    positions = [position for position, _ in iterate_batches(data)]
    with segment.open("r+b") as file:
        file.truncate(positions[kept])
    for found in directory.rglob(".kafka_cleanshutdown"):
        found.unlink()  # so that the log is looked through
    restart_leader(broker)


def test_a_consumer_that_read_lost_records_goes_back_to_where_the_logs_part(broker, tmp_path):
    write(broker, *(b"old %d" % number for number in range(READ)))
    with ottla.Consumer(broker.bootstrap_servers, auto_offset_reset="earliest", group_id="g") as consumer:
        consumer.assign([("t", 0)])
        assert len(consumer.poll(20_000)) == READ
        lose_records(broker, tmp_path, KEPT)
        write(broker, *(b"new %d" % number for number in range(READ)))
        assert [record.offset for record in consumer.poll(20_000)] == list(range(KEPT, KEPT + READ))


def test_a_committed_offset_of_lost_records_is_found_out(broker, tmp_path):
    write(broker, *(b"old %d" % number for number in range(READ)))
    with ottla.Consumer(broker.bootstrap_servers, auto_offset_reset="earliest", group_id="g") as consumer:
        consumer.assign([("t", 0)])
        assert len(consumer.poll(20_000)) == READ
        consumer.commit()
    lose_records(broker, tmp_path, KEPT)
    write(broker, *(b"new %d" % number for number in range(READ)))
    with ottla.Consumer(broker.bootstrap_servers, auto_offset_reset="none", group_id="g") as consumer:
        consumer.assign([("t", 0)])
        for _ in range(2):  # until the user decides where to read on
            with pytest.raises(LogTruncationError, match="read up to 6, the log differs from offset 3 on") as caught:
                consumer.poll(20_000)
        consumer.seek(caught.value.partition, caught.value.end_offset)
        assert consumer.poll(20_000)[0].value == b"new 0"


def test_a_restart_without_loss_is_no_truncation(broker):
    write(broker, b"1")
    with ottla.Consumer(broker.bootstrap_servers, auto_offset_reset="none", group_id="g") as consumer:
        consumer.assign([("t", 0)])
        consumer.seek(("t", 0), 0)
        assert len(consumer.poll(20_000)) == 1
        restart_leader(broker)
        write(broker, b"2")
        assert [record.value for record in consumer.poll(20_000)] == [b"2"]


@pytest.fixture
def state():
    made = FetchState(TopicPartition("t", 0))
    made.seek(10, leader_epoch=3)
    made.fetch_offset = 20
    return made


def test_what_was_only_fetched_ahead_is_fetched_again(state):
    state.divergence = Divergence(15, 3)
    resolve(state, OffsetSpec.EARLIEST)
    assert (state.position, state.fetch_offset, state.divergence) == (10, 10, None)


def test_without_a_known_end_the_position_is_reset(state):
    state.divergence = Divergence(-1, -1)
    resolve(state, OffsetSpec.LATEST)
    assert (state.position, state.reset_to) == (None, OffsetSpec.LATEST)


def test_only_a_new_leader_epoch_needs_an_answer(state):
    assert state.needs_validation(4)
    state.validated_epoch = 4
    assert not state.needs_validation(4)
    state.seek(10)
    assert not state.needs_validation(4)  # nothing is known of what was read before
