"""Duplicates, gaps, epochs and open transactions of producers (behaviours 23-25, 33, 60)."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from ottla.errors.kafka import (
    InvalidProducerEpochError,
    InvalidTxnStateError,
    KafkaError,
    OutOfOrderSequenceNumberError,
    TransactionCoordinatorFencedError,
)
from ottla.records.attributes import CONTROL_MASK, SEQUENCE_MAX, TRANSACTIONAL_MASK
from ottla.records.batch import BatchHeader
from ottla.records.control import ControlType, EndTxnMarker
from ottla.storage.producers.producer_state import ProducerStates

NOW = 1_700_000_000_000
DAY_MS = 86_400_000
COMMIT = EndTxnMarker(ControlType.COMMIT, 1)
ABORT = EndTxnMarker(ControlType.ABORT, 1)


def header(
    sequence: int, count: int = 1, *, producer_id: int = 7, epoch: int = 0, attributes: int = 0, timestamp: int = NOW
) -> BatchHeader:
    return BatchHeader(
        base_offset=0,
        batch_length=100,
        partition_leader_epoch=-1,
        magic=2,
        crc=0,
        attributes=attributes,
        last_offset_delta=count - 1,
        base_timestamp=timestamp,
        max_timestamp=timestamp,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        records_count=count,
    )


def transactional(sequence: int, **fields: int) -> BatchHeader:
    return header(sequence, attributes=TRANSACTIONAL_MASK, **fields)


def end_of_transaction(**fields: int) -> BatchHeader:
    return header(-1, attributes=TRANSACTIONAL_MASK | CONTROL_MASK, **fields)


class Log:
    """A log end offset and the producers behind it: append as a leader does."""

    def __init__(self) -> None:
        self.producers = ProducerStates("orders-0")
        self.end = 0

    def append(self, batch: BatchHeader, now_ms: int = NOW) -> tuple[int, bool]:
        """The base offset, and whether the batch was there before."""
        duplicate = self.producers.check(batch)
        if duplicate is not None:
            return duplicate.base_offset, True
        base_offset = self.end
        self.producers.update(batch, base_offset, now_ms)
        self.end += batch.last_offset_delta + 1
        return base_offset, False

    def end_transaction(self, marker: EndTxnMarker, **fields: int) -> None:
        batch = end_of_transaction(**fields)
        self.producers.check_marker(batch, marker)
        completed = self.producers.update_marker(batch, marker, self.end, NOW)
        self.end += 1
        if completed is not None:
            self.producers.complete(completed)


@pytest.fixture
def log() -> Log:
    return Log()


def test_batches_in_sequence_are_appended(log: Log) -> None:
    assert [log.append(header(sequence, 10)) for sequence in (0, 10, 20)] == [(0, False), (10, False), (20, False)]


def test_a_duplicate_of_any_of_the_last_five_batches_is_answered_with_its_first_offsets(log: Log) -> None:
    for sequence in range(0, 70, 10):
        log.append(header(sequence, 10))
    assert [log.append(header(sequence, 10)) for sequence in (20, 30, 40, 50, 60)] == [
        (20, True), (30, True), (40, True), (50, True), (60, True),
    ]  # fmt: skip
    assert log.end == 70


def test_a_duplicate_older_than_the_last_five_is_out_of_order(log: Log) -> None:
    for sequence in range(6):
        log.append(header(sequence))
    with pytest.raises(OutOfOrderSequenceNumberError):
        log.append(header(0))


def test_a_gap_is_out_of_order(log: Log) -> None:
    log.append(header(0))
    with pytest.raises(OutOfOrderSequenceNumberError, match=r"2 \(incoming seq. number\), 0 \(current end"):
        log.append(header(2))


def test_a_range_that_only_overlaps_a_known_batch_is_no_duplicate(log: Log) -> None:
    log.append(header(0, 10))
    for overlapping in (header(0, 5), header(5, 5), header(0, 11)):
        with pytest.raises(OutOfOrderSequenceNumberError):
            log.append(overlapping)


def test_sequence_wraps_to_zero_within_and_between_batches(log: Log) -> None:
    log.append(header(SEQUENCE_MAX - 9, 10))
    assert log.append(header(0, 3)) == (10, False)
    other = {"producer_id": 8}
    log.append(header(SEQUENCE_MAX - 1, 4, **other))  # ends at sequence 1
    assert log.append(header(SEQUENCE_MAX - 1, 4, **other)) == (13, True)
    assert log.append(header(2, **other)) == (17, False)


def test_an_unknown_producer_may_begin_with_any_sequence(log: Log) -> None:
    assert log.append(header(1234)) == (0, False)
    assert log.append(header(1235)) == (1, False)


def test_a_higher_epoch_must_begin_at_zero(log: Log) -> None:
    log.append(header(0, 5))
    with pytest.raises(OutOfOrderSequenceNumberError, match="new epoch"):
        log.append(header(5, epoch=1))
    assert log.append(header(0, epoch=1)) == (5, False)


def test_a_duplicate_of_the_old_epoch_is_refused_after_a_new_one(log: Log) -> None:
    log.append(header(0))
    log.append(header(0, epoch=1))
    with pytest.raises(InvalidProducerEpochError):
        log.append(header(0))


def test_a_refused_batch_leaves_the_state_as_it_was(log: Log) -> None:
    log.append(header(0))
    with pytest.raises(OutOfOrderSequenceNumberError):
        log.append(header(5, epoch=3))
    assert log.append(header(1)) == (1, False)


def test_a_producer_expires_by_when_it_was_seen_not_by_record_time(log: Log) -> None:
    long_ago = NOW - 30 * DAY_MS
    log.append(header(0, timestamp=long_ago), NOW)
    log.append(header(0, producer_id=8, timestamp=NOW + 30 * DAY_MS), NOW - 2 * DAY_MS)
    assert log.producers.expire(NOW + DAY_MS - 1, DAY_MS) == 1
    assert log.append(header(0)) == (0, True)
    assert log.producers.expire(NOW + DAY_MS, DAY_MS) == 1
    assert len(log.producers) == 0


def test_a_producer_with_an_open_transaction_neither_expires_nor_is_dropped(log: Log) -> None:
    log.append(transactional(0))
    assert log.producers.expire(NOW + 100 * DAY_MS, DAY_MS) == 0
    assert log.producers.shrink_to(0) == 0
    assert log.producers.transactions.first_unstable_offset(1) == 0


def test_when_there_are_too_many_the_longest_unseen_are_dropped(log: Log) -> None:
    for producer_id in range(100):
        log.append(header(0, producer_id=producer_id), NOW + producer_id)
    log.append(header(1, producer_id=0), NOW + 1000)
    assert log.producers.shrink_to(10) == 90
    assert sorted(producer_id for producer_id, _ in log.producers.items()) == [0, *range(91, 100)]


def test_of_those_last_seen_at_the_same_time_only_the_surplus_is_dropped(log: Log) -> None:
    """As all are that were read from a snapshot."""
    for producer_id in range(100):
        log.append(header(0, producer_id=producer_id), NOW)
    assert log.producers.shrink_to(90) == 10
    assert len(log.producers) == 90


def test_first_unstable_offset_is_that_of_the_oldest_open_transaction(log: Log) -> None:
    log.append(header(0, producer_id=1))
    log.append(transactional(0, producer_id=2))
    log.append(transactional(0, producer_id=3))
    transactions = log.producers.transactions
    assert transactions.first_unstable_offset(3) == 1
    log.end_transaction(COMMIT, producer_id=2)
    assert transactions.first_unstable_offset(3) == 1, "the marker at 3 is not below the high watermark"
    assert transactions.first_unstable_offset(4) == 2
    log.end_transaction(ABORT, producer_id=3)
    assert transactions.first_unstable_offset(5) is None


def test_an_abort_says_what_the_transaction_index_needs(log: Log) -> None:
    log.append(transactional(0, producer_id=2))
    log.append(transactional(0, producer_id=3))
    marker = end_of_transaction(producer_id=2)
    completed = log.producers.update_marker(marker, ABORT, 2, NOW)
    assert completed == (2, 0, 2, True)
    assert log.producers.transactions.last_stable_offset_after(completed) == 1


def test_a_marker_without_records_completes_nothing(log: Log) -> None:
    assert log.producers.update_marker(end_of_transaction(), COMMIT, 0, NOW) is None


def test_sequence_goes_on_after_a_marker_of_the_same_epoch_and_begins_anew_after_one_of_a_higher(log: Log) -> None:
    log.append(transactional(0, count=3))
    log.end_transaction(COMMIT)
    assert log.append(transactional(3)) == (4, False)
    log.end_transaction(ABORT, epoch=1)
    with pytest.raises(InvalidProducerEpochError):
        log.append(transactional(4))
    assert log.append(transactional(0, epoch=1)) == (6, False)


def test_plain_write_inside_a_transaction_is_refused(log: Log) -> None:
    log.append(transactional(0))
    with pytest.raises(InvalidTxnStateError):
        log.append(header(1))


def test_a_marker_of_an_old_coordinator_is_fenced(log: Log) -> None:
    log.append(transactional(0))
    log.end_transaction(EndTxnMarker(ControlType.COMMIT, 5))
    with pytest.raises(TransactionCoordinatorFencedError):
        log.end_transaction(EndTxnMarker(ControlType.COMMIT, 4))


class _Oracle:
    """One producer, by the rules and without cleverness: every batch of its epoch, in order."""

    def __init__(self) -> None:
        self.epoch = -1
        self.batches: list[tuple[int, int, int]] = []

    def append(self, epoch: int, sequence: int, count: int, end: int) -> tuple[int, bool] | str:
        last = (sequence + count - 1) % (SEQUENCE_MAX + 1)
        if self.epoch == -1:
            self.epoch = epoch
        elif epoch < self.epoch:
            return "epoch"
        elif epoch > self.epoch:
            if sequence != 0:
                return "order"
            self.epoch, self.batches = epoch, []
        else:
            for first_known, last_known, offset in self.batches[-5:]:
                if (first_known, last_known) == (sequence, last):
                    return offset, True
            if sequence != (self.batches[-1][1] + 1) % (SEQUENCE_MAX + 1):
                return "order"
        self.batches.append((sequence, last, end))
        return end, False


class ProducerStatesMatchTheRules(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.log = Log()
        self.oracles = {producer_id: _Oracle() for producer_id in range(3)}
        self.sent: list[tuple[int, int, int, int]] = []

    @rule(
        producer_id=st.integers(0, 2),
        epoch=st.integers(0, 2),
        sequence=st.integers(0, 6) | st.integers(SEQUENCE_MAX - 3, SEQUENCE_MAX),
        count=st.integers(1, 4),
    )
    def send(self, producer_id: int, epoch: int, sequence: int, count: int) -> None:
        self._send(producer_id, epoch, sequence, count)

    @rule(producer_id=st.integers(0, 2), count=st.integers(1, 4))
    def send_next(self, producer_id: int, count: int) -> None:
        oracle = self.oracles[producer_id]
        sequence = (oracle.batches[-1][1] + 1) % (SEQUENCE_MAX + 1) if oracle.batches else 0
        self._send(producer_id, max(oracle.epoch, 0), sequence, count)

    @rule(back=st.integers(1, 8))
    def send_again(self, back: int) -> None:
        if len(self.sent) >= back:
            self._send(*self.sent[-back])

    def _send(self, producer_id: int, epoch: int, sequence: int, count: int) -> None:
        expected = self.oracles[producer_id].append(epoch, sequence, count, self.log.end)
        self.sent.append((producer_id, epoch, sequence, count))
        try:
            actual: object = self.log.append(header(sequence, count, producer_id=producer_id, epoch=epoch))
        except InvalidProducerEpochError:
            actual = "epoch"
        except OutOfOrderSequenceNumberError:
            actual = "order"
        except KafkaError as error:
            actual = repr(error)
        assert actual == expected


TestProducerStatesMatchTheRules = ProducerStatesMatchTheRules.TestCase
TestProducerStatesMatchTheRules.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
