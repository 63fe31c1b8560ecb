"""The batches before the newest of each producer, over a clean stop: all come back, and only where they fit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.records.attributes import SEQUENCE_MAX
from ottla.storage.producers.producer_snapshot import decode_snapshot, encode_snapshot
from ottla.storage.producers.producer_state import AppendedBatch, ProducerEntry, ProducerStates
from ottla.storage.producers.recent_producer_batches import encode_windows, restore_windows

END = 100


def entry_of(*batches: AppendedBatch, epoch: int = 0) -> ProducerEntry:
    entry = ProducerEntry(epoch)
    for batch in batches:
        entry.append(epoch, *batch)
    return entry


def in_a_row(count: int, sequence: int = 0) -> list[AppendedBatch]:
    """Batches of two records each."""
    return [
        AppendedBatch((sequence + 2 * number + 1) % (SEQUENCE_MAX + 1), 10 * number + 1, 1, 1000 + number)
        for number in range(count)
    ]


def after_a_stop(entries: dict[int, ProducerEntry], windows: bytes | None, end: int = END) -> ProducerStates:
    producers = ProducerStates()
    producers.restore(decode_snapshot(encode_snapshot(entries.items())), end, 0)
    restore_windows(producers, windows or b"")
    return producers


@given(st.dictionaries(st.integers(0, 2**62), st.integers(1, 7), max_size=5), st.integers(0, SEQUENCE_MAX))
def test_every_window_comes_back(counts: dict[int, int], sequence: int) -> None:
    entries = {producer_id: entry_of(*in_a_row(count, sequence)) for producer_id, count in counts.items()}
    found = after_a_stop(entries, encode_windows(entries.items(), END))
    assert {key: entry.batches for key, entry in found.items()} == {
        key: entry.batches for key, entry in entries.items()
    }


def test_nothing_is_written_when_nobody_has_more_than_one_batch() -> None:
    assert encode_windows([(7, entry_of(*in_a_row(1)))], END) is None


@given(st.data())
def test_a_torn_or_flipped_file_is_as_good_as_none(data: st.DataObject) -> None:
    entries = {7: entry_of(*in_a_row(5)), 8: entry_of(*in_a_row(3))}
    whole = bytearray(encode_windows(entries.items(), END) or b"")
    if data.draw(st.booleans()):
        damaged = bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    else:
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
        damaged = bytes(whole)
    found = after_a_stop(entries, damaged)
    assert all(len(entry.batches) == 1 for _, entry in found.items())


@pytest.mark.parametrize(
    "others",
    [
        entry_of(*in_a_row(5), epoch=1),
        entry_of(*in_a_row(5, sequence=50)),
        entry_of(*[batch._replace(last_offset=batch.last_offset + 90) for batch in in_a_row(5)]),
    ],
    ids=["another epoch", "sequences that do not lead up", "offsets past the newest"],
)
def test_a_window_that_does_not_fit_the_snapshot_is_left_out(others: ProducerEntry) -> None:
    windows = encode_windows([(7, others)], END)
    found = after_a_stop({7: entry_of(*in_a_row(5))}, windows).get(7)
    assert found is not None
    assert len(found.batches) == 1


def test_a_window_of_another_end_is_left_out() -> None:
    entries = {7: entry_of(*in_a_row(5))}
    found = after_a_stop(entries, encode_windows(entries.items(), END - 1)).get(7)
    assert found is not None
    assert len(found.batches) == 1
