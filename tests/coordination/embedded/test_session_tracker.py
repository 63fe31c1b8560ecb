"""When a session is over, by a clock that the test moves."""

import pytest

from ottla.clock import ManualClock
from ottla.coordination.embedded.session_tracker import SessionTracker


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def tracker(clock: ManualClock) -> SessionTracker:
    tracker = SessionTracker(clock)
    tracker.track(1, 1000)
    tracker.track(2, 3000)
    return tracker


def sweep(tracker: SessionTracker, clock: ManualClock) -> list[int]:
    return tracker.expired(clock.monotonic())


def test_a_session_expires_after_its_own_timeout(tracker: SessionTracker, clock: ManualClock) -> None:
    clock.advance_ms(999)
    assert sweep(tracker, clock) == []
    clock.advance_ms(1)
    assert sweep(tracker, clock) == [1]
    clock.advance_ms(2000)
    assert sweep(tracker, clock) == [1, 2]


def test_a_touch_gives_a_full_timeout_again(tracker: SessionTracker, clock: ManualClock) -> None:
    clock.advance_ms(900)
    tracker.touch(1)
    clock.advance_ms(900)
    assert sweep(tracker, clock) == []


def test_a_sweep_that_comes_late_gives_the_lost_time_back(tracker: SessionTracker, clock: ManualClock) -> None:
    expected_at = clock.monotonic() + 1
    clock.advance_ms(60_000)
    assert tracker.expired(expected_at) == []
    assert sweep(tracker, clock) == [1]  # nothing was waiting to be read from this one
    clock.advance_ms(1999)
    assert sweep(tracker, clock) == [1]
    clock.advance_ms(1)
    assert sweep(tracker, clock) == [1, 2]


def test_a_forgotten_session_is_neither_touched_nor_expired(tracker: SessionTracker, clock: ManualClock) -> None:
    tracker.forget(1)
    tracker.touch(1)
    assert 1 not in tracker
    clock.advance_ms(5000)
    assert sweep(tracker, clock) == [2]


def test_the_next_deadline_is_the_earliest(tracker: SessionTracker, clock: ManualClock) -> None:
    assert tracker.next_deadline() == clock.monotonic() + 1
    tracker.forget(1)
    tracker.forget(2)
    assert tracker.next_deadline() is None
