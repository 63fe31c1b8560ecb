import threading

from ottla.clock import ManualClock, SystemClock
from ottla.coordination.watchdog import Watchdog


def watched(watchdog: Watchdog, patience_s: float) -> None:
    """As `start` does it, without the thread."""
    watchdog._patience_s, watchdog._resting = patience_s, False
    watchdog.beat()


def test_silence_for_the_whole_patience_is_acted_on_once() -> None:
    clock, closed = ManualClock(), []
    watchdog = Watchdog(clock, lambda: closed.append(True))
    watched(watchdog, 6.0)
    clock.advance_ms(5999)
    assert not watchdog.check()
    clock.advance_ms(1)
    assert watchdog.check()
    assert not watchdog.check()
    assert closed == [True]


def test_beat_after_a_silence_makes_the_next_silence_count_anew() -> None:
    clock = ManualClock()
    watchdog = Watchdog(clock, lambda: None)
    watched(watchdog, 1.0)
    clock.advance_ms(1000)
    assert watchdog.check()
    watchdog.beat()
    clock.advance_ms(1000)
    assert watchdog.check()


def test_without_a_session_there_is_nothing_to_close() -> None:
    clock = ManualClock()
    watchdog = Watchdog(clock, lambda: None)
    watched(watchdog, 1.0)
    watchdog.rest()
    clock.advance_ms(5000)
    assert not watchdog.check()


def test_thread_notices_a_loop_that_does_not_beat() -> None:
    stuck = threading.Event()
    watchdog = Watchdog(SystemClock(), stuck.set)
    watchdog.start(patience_ms=20)
    assert stuck.wait(30)
    watchdog.stop()
