"""Which sequences and epochs a producer sends, by a broker whose answers are written down (KIP-98, KIP-360)."""

import pytest

import ottla
from ottla.clients.errors import ClientTimeoutError
from ottla.errors import ErrorCode
from ottla.errors.kafka import ClusterAuthorizationFailedError, InvalidRecordError, NotEnoughReplicasError
from support.eventually import eventually
from support.scripted_broker import TOPIC, ScriptedBroker

RETRIABLE = ErrorCode.NOT_ENOUGH_REPLICAS
FORGOTTEN = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
FINAL = ErrorCode.INVALID_RECORD


@pytest.fixture
def broker():
    with ScriptedBroker() as scripted:
        yield scripted


@pytest.fixture
def producer(broker):
    with ottla.Producer(broker.address, retry_backoff_ms=1, batch_size=1) as client:
        yield client


def numbers(broker):
    """Epoch, sequence and values of everything that was sent."""
    return [(batch.epoch, batch.sequence, b"".join(batch.values)) for batch in broker.seen]


def test_sequences_count_records_and_the_id_stays(broker, producer):
    producer.send_many(TOPIC, [b"a", b"b", b"c"]).result(20)
    producer.send(TOPIC, b"d").result(20)
    assert numbers(broker) == [(0, 0, b"abc"), (0, 3, b"d")]
    assert {batch.producer_id for batch in broker.seen} == {1000}


def test_a_batch_is_sent_again_under_the_same_sequence(broker, producer):
    broker.script.extend([RETRIABLE, RETRIABLE])
    assert producer.send(TOPIC, b"a").result(20).offset == 0
    producer.send(TOPIC, b"b").result(20)
    assert numbers(broker) == [(0, 0, b"a"), (0, 0, b"a"), (0, 0, b"a"), (0, 1, b"b")]


def test_batches_behind_a_failed_one_are_sent_again_in_order(broker, producer):
    values = [b"%d" % number for number in range(200)]
    broker.script.extend([None, RETRIABLE])
    futures = [producer.send(TOPIC, value) for value in values]
    assert [future.result(20).offset for future in futures] == list(range(200))
    assert broker.log == values
    assert {batch.epoch for batch in broker.seen} == {0}, "nothing was lost, so no new epoch is needed"


def test_a_duplicate_is_a_success(broker, producer):
    broker.script.append(ErrorCode.DUPLICATE_SEQUENCE_NUMBER)
    assert producer.send(TOPIC, b"a").result(20).offset == 0
    assert len(broker.seen) == 1


@pytest.mark.parametrize("code", [FORGOTTEN, ErrorCode.UNKNOWN_PRODUCER_ID])
def test_a_broker_that_has_forgotten_the_producer_gets_a_new_epoch(broker, producer, code):
    producer.send(TOPIC, b"a").result(20)
    broker.script.append(code)
    assert producer.send(TOPIC, b"b").result(20).offset == 1
    producer.send(TOPIC, b"c").result(20)
    assert numbers(broker) == [(0, 0, b"a"), (0, 1, b"b"), (1, 0, b"b"), (1, 1, b"c")]


def test_after_a_final_failure_the_next_batch_begins_a_new_epoch(broker, producer):
    producer.send(TOPIC, b"a").result(20)
    broker.script.append(FINAL)
    assert isinstance(producer.send(TOPIC, b"bad").exception(20), InvalidRecordError)
    assert producer.send(TOPIC, b"c").result(20).offset == 1
    assert numbers(broker) == [(0, 0, b"a"), (0, 1, b"bad"), (1, 0, b"c")]


def test_an_id_whose_epochs_are_used_up_is_replaced(broker):
    broker.first_epoch = 32767
    broker.script.append(FINAL)
    with ottla.Producer(broker.address) as producer:
        producer.send(TOPIC, b"bad").exception(20)
        producer.send(TOPIC, b"a").result(20)
    assert [(batch.producer_id, batch.epoch, batch.sequence) for batch in broker.seen] == [
        (1000, 32767, 0),
        (1001, 0, 0),
    ]


def test_a_moved_leader_makes_the_producer_ask_for_metadata(broker, producer):
    producer.send(TOPIC, b"a").result(20)
    before = broker.metadata_requests
    broker.script.extend([ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2)
    producer.send(TOPIC, b"b").result(20)
    eventually(lambda: broker.metadata_requests > before)
    assert numbers(broker)[-1] == (0, 1, b"b")


def test_retries_and_time_are_bounded(broker):
    broker.script.extend([RETRIABLE] * 3)
    with ottla.Producer(broker.address, retries=2, retry_backoff_ms=1) as producer:
        assert isinstance(producer.send(TOPIC, b"a").exception(20), NotEnoughReplicasError)
        assert len(broker.seen) == 3
    broker.script.extend([RETRIABLE] * 10_000)
    config = {"delivery_timeout_ms": 300, "request_timeout_ms": 200, "retry_backoff_ms": 1, "retry_backoff_max_ms": 5}
    with ottla.Producer(broker.address, **config) as producer:
        error = producer.send(TOPIC, b"a").exception(20)
        assert isinstance(error, ClientTimeoutError | NotEnoughReplicasError)


def test_without_idempotence_there_are_no_sequences(broker):
    with ottla.Producer(broker.address, enable_idempotence=False) as producer:
        producer.send(TOPIC, b"a").result(20)
    assert [(batch.producer_id, batch.epoch, batch.sequence) for batch in broker.seen] == [(-1, -1, -1)]


def test_a_batch_too_large_is_halved_and_keeps_its_sequences(broker):
    broker.script.append(ErrorCode.MESSAGE_TOO_LARGE)
    with ottla.Producer(broker.address) as producer:
        written = producer.send_many(TOPIC, [b"a", b"b", b"c"]).result(20)
    assert numbers(broker) == [(0, 0, b"abc"), (0, 0, b"ab"), (0, 2, b"c")]
    assert [(batch.base_offset, batch.records_count) for batch in written] == [(0, 2), (2, 1)]


def test_an_error_that_forbids_everything_fails_what_waits(broker, producer):
    broker.script.append(ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    assert isinstance(producer.send(TOPIC, b"a").exception(20), ClusterAuthorizationFailedError)
