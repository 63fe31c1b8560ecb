"""How many bytes there are to read, as far as positions are known."""

import pytest

from ottla.replication.fetch_reader import ENOUGH_BYTES, bytes_between
from ottla.storage.log.log_results import LogOffset


@pytest.mark.parametrize(
    ("start", "end", "size"),
    [
        (LogOffset(5, 0, 500), LogOffset(9, 0, 900), 400),
        (LogOffset(9, 0, 900), LogOffset(9, 0, 900), 0),
        (LogOffset(9, 0, 900), LogOffset(5, 0, 500), 0),
        (LogOffset(5, 0, 500), LogOffset(9, 7, 200), ENOUGH_BYTES),
    ],
)
def test_bytes_are_those_between_two_positions_of_a_segment(start: LogOffset, end: LogOffset, size: int) -> None:
    assert bytes_between(start, end) == size


def test_offsets_whose_positions_are_not_known_are_never_taken_for_one_place() -> None:
    assert bytes_between(LogOffset(100), LogOffset(110)) == ENOUGH_BYTES
    assert bytes_between(LogOffset(100), LogOffset(100)) == 0
