"""Idempotent producers: behaviours 23 to 26. Every producer id is a fresh one of the broker's."""

from typing import Any

import pytest

from ottla.errors import ErrorCode
from ottla.records.attributes import SEQUENCE_MAX
from support.broker import ON_BOTH_BROKERS
from support.raw_kafka import RawKafka
from support.raw_requests import LATEST, batch, list_offsets, new_producer_id, produce

pytestmark = ON_BOTH_BROKERS


class IdempotentProducer:
    """Sends batches under one producer id, with the sequence that the test says."""

    def __init__(self, raw: RawKafka, topic: str) -> None:
        self.raw = raw
        self.topic = topic
        self.producer_id = new_producer_id(raw)

    def send(self, sequence: int, count: int = 1, epoch: int = 0) -> Any:
        records = batch(count, producer_id=self.producer_id, producer_epoch=epoch, base_sequence=sequence)
        return produce(self.raw, self.topic, records)

    def end_offset(self) -> int:
        offset: int = list_offsets(self.raw, self.topic, LATEST).offset
        return offset


@pytest.fixture
def producer(raw: RawKafka, make_topic) -> IdempotentProducer:
    return IdempotentProducer(raw, make_topic())


def test_23_duplicate_is_answered_with_its_first_offset_and_not_appended(producer: IdempotentProducer):
    assert producer.send(0, count=3).base_offset == 0
    assert producer.send(3, count=2).base_offset == 3
    again = producer.send(0, count=3)
    assert (again.error_code, again.base_offset) == (ErrorCode.NONE, 0)
    assert producer.end_offset() == 5


def test_23_five_batches_back_are_remembered_and_older_ones_are_out_of_order(producer: IdempotentProducer):
    for sequence in range(7):
        producer.send(sequence)
    for sequence in range(2, 7):
        again = producer.send(sequence)
        assert (again.error_code, again.base_offset) == (ErrorCode.NONE, sequence)
    assert producer.send(1).error_code in (
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
    )
    assert producer.end_offset() == 7


def test_23_gap_is_out_of_order(producer: IdempotentProducer):
    producer.send(0)
    assert producer.send(2).error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producer.send(1).error_code == ErrorCode.NONE
    assert producer.end_offset() == 2


def test_23_part_of_a_batch_again_is_out_of_order(producer: IdempotentProducer):
    producer.send(0, count=4)
    assert producer.send(2, count=2).error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producer.end_offset() == 4


def test_23_sequence_wraps_to_zero(producer: IdempotentProducer):
    assert producer.send(SEQUENCE_MAX - 1, count=2).error_code == ErrorCode.NONE
    assert producer.send(0).error_code == ErrorCode.NONE
    assert producer.end_offset() == 3


def test_23_batch_may_wrap_inside(producer: IdempotentProducer):
    assert producer.send(SEQUENCE_MAX, count=3).error_code == ErrorCode.NONE
    assert producer.send(2).error_code == ErrorCode.NONE
    assert producer.end_offset() == 4


def test_24_unknown_producer_may_begin_anywhere(producer: IdempotentProducer):
    assert producer.send(17).error_code == ErrorCode.NONE
    assert producer.send(18).error_code == ErrorCode.NONE


def test_24_new_epoch_begins_at_zero(producer: IdempotentProducer):
    producer.send(0)
    assert producer.send(1, epoch=1).error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert producer.send(0, epoch=1).error_code == ErrorCode.NONE


def test_24_old_epoch_is_refused(producer: IdempotentProducer):
    producer.send(0, epoch=1)
    assert producer.send(1, epoch=0).error_code == ErrorCode.INVALID_PRODUCER_EPOCH
    assert producer.end_offset() == 1


def test_23_partitions_have_sequences_of_their_own(raw: RawKafka, make_topic):
    topic = make_topic(2)
    records = batch(2, producer_id=new_producer_id(raw), producer_epoch=0, base_sequence=0)
    for partition in (0, 1):
        answer = produce(raw, topic, records, partition=partition)
        assert (answer.error_code, answer.base_offset) == (ErrorCode.NONE, 0)


def test_26_producer_ids_are_never_given_twice(raw: RawKafka):
    ids = [new_producer_id(raw) for _ in range(100)]
    assert len(set(ids)) == 100
    assert min(ids) >= 0
