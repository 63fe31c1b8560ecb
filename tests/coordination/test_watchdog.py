import threading

from ottla.clock import ManualClock, SystemClock
from ottla.coordination.watchdog import Watchdog


def test_silence_for_the_whole_patience_is_acted_on_once() -> None:
    clock, closed = ManualClock(), []
    watchdog = Watchdog(clock, lambda: closed.append(True))
    watchdog.watch(6000)
    clock.advance_ms(5999)
    assert not watchdog.check()
    clock.advance_ms(1)
    assert watchdog.check()
    assert not watchdog.check()
    assert closed == [True]


def test_beat_after_a_silence_makes_the_next_silence_count_anew() -> None:
    clock = ManualClock()
    watchdog = Watchdog(clock, lambda: None)
    watchdog.watch(1000)
    clock.advance_ms(1000)
    assert watchdog.check()
    watchdog.beat()
    clock.advance_ms(1000)
    assert watchdog.check()


def test_without_a_session_there_is_nothing_to_close() -> None:
    clock = ManualClock()
    watchdog = Watchdog(clock, lambda: None)
    watchdog.watch(1000)
    watchdog.rest()
    clock.advance_ms(5000)
    assert not watchdog.check()


def test_thread_notices_a_loop_that_does_not_beat() -> None:
    stuck = threading.Event()
    watchdog = Watchdog(SystemClock(), stuck.set)
    watchdog.start(patience_ms=20)
    assert stuck.wait(30)
    watchdog.stop()
