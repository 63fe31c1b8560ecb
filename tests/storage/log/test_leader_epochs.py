"""Where leader epochs begin and end (KIP-101, KIP-279), and the checkpoint file that says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.storage.log.leader_epochs import EpochEnd, EpochEntry, LeaderEpochs, decode_leader_epochs
from ottla.storage.log_dir.checkpoint_text import MalformedCheckpointError

LOG_END = 100


def epochs_of(*entries: tuple[int, int]) -> LeaderEpochs:
    return LeaderEpochs(EpochEntry(*entry) for entry in entries)


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        (-1, (-1, -1)),
        (0, (0, 10)),  # older than all that is known: the follower goes on where the log begins
        (2, (2, 20)),
        (3, (2, 20)),  # an epoch without records: the one before it
        (5, (5, 30)),
        (7, (7, LOG_END)),
        (8, (-1, -1)),
    ],
)
def test_end_offset_is_that_of_the_largest_epoch_not_above_the_requested(
    requested: int, expected: tuple[int, int]
) -> None:
    epochs = epochs_of((2, 10), (5, 20), (7, 30))
    assert epochs.end_offset_for(requested, LOG_END) == EpochEnd(*expected)


def test_no_epoch_is_known_in_an_empty_log() -> None:
    assert LeaderEpochs().end_offset_for(0, 0) == (-1, -1)
    assert LeaderEpochs().latest_epoch == -1


def test_the_same_epoch_again_changes_nothing() -> None:
    epochs = epochs_of((1, 0))
    assert not epochs.assign(1, 50)
    assert epochs.entries == [(1, 0)]
    assert not epochs.dirty


def test_a_new_epoch_without_records_is_replaced_by_the_next() -> None:
    epochs = epochs_of((1, 0), (2, 50))
    assert epochs.assign(3, 50)
    assert epochs.entries == [(1, 0), (3, 50)]


def test_an_entry_that_contradicts_later_ones_drops_them() -> None:
    epochs = epochs_of((1, 0), (2, 50), (3, 80))
    epochs.assign(2, 40)
    assert epochs.entries == [(1, 0), (2, 40)]


def test_truncation_at_the_end_forgets_epochs_that_begin_there_or_later() -> None:
    epochs = epochs_of((1, 0), (2, 50), (3, 80))
    epochs.truncate_from_end(50)
    assert epochs.entries == [(1, 0)]
    assert epochs.dirty


def test_truncation_at_the_start_moves_the_epoch_it_lies_in() -> None:
    epochs = epochs_of((1, 0), (2, 50), (3, 80))
    epochs.truncate_from_start(60)
    assert epochs.entries == [(2, 60), (3, 80)]


def test_truncation_at_the_start_of_an_epoch_keeps_it_as_it_is() -> None:
    epochs = epochs_of((1, 0), (2, 50))
    epochs.truncate_from_start(50)
    assert epochs.entries == [(2, 50)]


def test_offset_is_found_in_the_epoch_that_it_was_written_in() -> None:
    epochs = epochs_of((1, 10), (2, 50))
    assert [epochs.epoch_for_offset(offset) for offset in (9, 10, 49, 50, 1000)] == [-1, 1, 1, 2, 2]


def test_file_has_kafkas_form() -> None:
    assert epochs_of((0, 0), (4, 1234)).encode() == b"0\n2\n0 0\n4 1234\n"


@pytest.mark.parametrize(
    "data",
    [b"", b"0\n", b"1\n0\n", b"0\n1\n", b"0\n2\n1 0\n", b"0\n1\nx 0\n", b"0\n1\n1 0 0\n", b"0\n1\n-1 0\n",
     b"0\n2\n2 0\n1 5\n", b"0\n2\n1 5\n2 5\n", b"\xff\xfe", b"0\n1\n1_0 0\n", b"0\n0\n3 4\n", b"0\n1\n1 " + b"9" * 30],
)  # fmt: skip
def test_a_damaged_file_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedCheckpointError, match="malformed checkpoint file there"):
        decode_leader_epochs(data, "there")


_operations = st.lists(
    st.tuples(st.sampled_from(["assign", "end", "start"]), st.integers(0, 8), st.integers(0, 40)), max_size=30
)


@given(_operations)
def test_epochs_and_offsets_rise_whatever_happens_and_the_file_says_the_same(
    operations: list[tuple[str, int, int]],
) -> None:
    epochs = LeaderEpochs()
    for operation, epoch, offset in operations:
        if operation == "assign":
            epochs.assign(epoch, offset)
        elif operation == "end":
            epochs.truncate_from_end(offset)
        else:
            epochs.truncate_from_start(offset)
        entries = epochs.entries
        assert entries == sorted(set(entries))
        assert [entry.start_offset for entry in entries] == sorted({entry.start_offset for entry in entries})
    assert decode_leader_epochs(epochs.encode()).entries == epochs.entries


@given(st.binary(max_size=60))
def test_any_bytes_are_epochs_or_a_malformed_file(data: bytes) -> None:
    try:
        decode_leader_epochs(data)
    except MalformedCheckpointError:
        return
