"""Behind a batch that was refused nothing of the same unknown producer is written."""

import pytest

from ottla.errors.kafka import OutOfOrderSequenceNumberError
from ottla.records.batch import BatchHeader
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.producers.refused_batches import PRODUCERS_MAX, RefusedBatches

NOW = 1_700_000_000_000


def header(sequence: int, *, producer_id: int = 7, epoch: int = 0) -> BatchHeader:
    return BatchHeader(
        base_offset=0, batch_length=100, partition_leader_epoch=-1, magic=2, crc=0, attributes=0, last_offset_delta=0,
        base_timestamp=NOW, max_timestamp=NOW, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence,
        records_count=1,
    )  # fmt: skip


def test_batch_behind_a_refused_one_waits_for_it() -> None:
    producers = ProducerStates("t-0")
    producers.note_refused(header(0))
    for sequence in (1, 2):
        with pytest.raises(OutOfOrderSequenceNumberError, match="behind 0, which was refused"):
            producers.check(header(sequence))
    assert producers.check(header(0)) is None
    producers.update(header(0), 0, NOW)
    assert producers.check(header(1)) is None


def test_producer_that_nobody_refused_may_begin_anywhere() -> None:
    producers = ProducerStates("t-0")
    producers.note_refused(header(5))
    assert producers.check(header(3, producer_id=8)) is None
    assert producers.check(header(3, epoch=1)) is None
    assert producers.check(header(4)) is None


def test_known_producer_is_checked_by_what_it_wrote() -> None:
    producers = ProducerStates("t-0")
    producers.note_refused(header(5))
    producers.update(header(8), 0, NOW)
    assert producers.check(header(9)) is None
    producers.note_refused(header(9))
    producers.expire(NOW, 0)
    assert producers.check(header(20)) is None, "what was refused of a known producer is not remembered"


def test_the_lowest_sequence_counts_and_the_oldest_producer_is_forgotten() -> None:
    refused = RefusedBatches()
    for sequence in (3, 1, 2):
        refused.note(header(sequence))
    with pytest.raises(OutOfOrderSequenceNumberError):
        refused.check(header(2), "t-0")
    refused.check(header(1), "t-0")
    for producer_id in range(100, 100 + PRODUCERS_MAX):
        refused.note(header(0, producer_id=producer_id))
    refused.check(header(2), "t-0")
