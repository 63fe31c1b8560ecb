import asyncio
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.clock import ManualClock, SystemClock, TimerWheel


def wheel_and_clock() -> tuple[TimerWheel, ManualClock]:
    clock = ManualClock()
    return TimerWheel(clock, tick_ms=20), clock


def test_timer_fires_within_one_tick_after_its_delay_and_never_early():
    wheel, clock = wheel_and_clock()
    fired: list[str] = []
    wheel.schedule(100, lambda: fired.append("a"))
    clock.advance_ms(99)
    wheel.advance()
    assert fired == []
    clock.advance_ms(21)
    wheel.advance()
    assert fired == ["a"]


def test_cancelled_timer_never_fires_and_leaves_at_once():
    wheel, clock = wheel_and_clock()
    fired: list[int] = []
    timers = [wheel.schedule(50, lambda: fired.append(1)) for _ in range(3)]
    timers[1].cancel()
    timers[1].cancel()
    assert len(wheel) == 2
    clock.advance_ms(100)
    wheel.advance()
    assert fired == [1, 1]
    timers[0].cancel()


def test_empty_wheel_has_nothing_to_wait_for():
    wheel, _ = wheel_and_clock()
    assert wheel.next_delay_ms() is None
    wheel.schedule(50, lambda: None).cancel()
    assert wheel.next_delay_ms() is None
    assert len(wheel) == 0


def test_callback_may_schedule_and_cancel_others():
    wheel, clock = wheel_and_clock()
    fired: list[str] = []
    second = None

    def first() -> None:
        assert second is not None
        second.cancel()
        wheel.schedule(0, lambda: fired.append("third"))

    wheel.schedule(10, first)
    second = wheel.schedule(10, lambda: fired.append("second"))
    clock.advance_ms(40)
    wheel.advance()
    clock.advance_ms(40)
    wheel.advance()
    assert fired == ["third"]


def test_timers_behind_a_failing_callback_stay_due():
    wheel, clock = wheel_and_clock()
    fired: list[str] = []

    def fail() -> None:
        raise RuntimeError("bug")

    wheel.schedule(10, fail)
    wheel.schedule(10, lambda: fired.append("after"))
    clock.advance_ms(40)
    with pytest.raises(RuntimeError):
        wheel.advance()
    assert wheel.next_delay_ms() == 0
    wheel.advance()
    assert fired == ["after"]


@given(st.lists(st.tuples(st.integers(0, 5000), st.booleans()), max_size=60), st.integers(1, 700))
def test_wheel_fires_each_living_timer_once_in_order_of_ticks(plan: list[tuple[int, bool]], step_ms: int):
    wheel, clock = wheel_and_clock()
    start = clock.monotonic()
    fired: list[tuple[int, int]] = []
    for number, (delay_ms, cancelled) in enumerate(plan):
        timer = wheel.schedule(delay_ms, lambda n=number: fired.append((n, round((clock.monotonic() - start) * 1000))))
        if cancelled:
            timer.cancel()
    while (delay := wheel.next_delay_ms()) is not None:
        clock.advance_ms(max(1, min(step_ms, delay)))
        wheel.advance()
    assert sorted(number for number, _ in fired) == [n for n, (_, cancelled) in enumerate(plan) if not cancelled]
    for number, at_ms in fired:
        assert plan[number][0] <= at_ms <= plan[number][0] + 22


def test_attached_loop_drives_the_wheel_and_is_armed_only_while_it_must():
    async def scenario() -> list[str]:
        wheel = TimerWheel(SystemClock(), tick_ms=5)
        wheel.attach(asyncio.get_running_loop())
        fired: list[str] = []
        done = asyncio.Event()
        wheel.schedule(30, lambda: (fired.append("late"), done.set()))
        wheel.schedule(1, lambda: fired.append("early"))
        await asyncio.wait_for(done.wait(), 10)
        assert wheel._armed is None
        wheel.detach()
        return fired

    assert asyncio.run(scenario()) == ["early", "late"]


def test_detached_wheel_keeps_its_timers_for_the_next_driver():
    async def scenario() -> None:
        wheel = TimerWheel(SystemClock(), tick_ms=5)
        loop = asyncio.get_running_loop()
        wheel.attach(loop)
        done = asyncio.Event()
        wheel.schedule(1, done.set)
        wheel.detach()
        assert len(wheel) == 1
        wheel.attach(loop)
        await asyncio.wait_for(done.wait(), 10)

    asyncio.run(scenario())


def test_a_cancelled_timer_lets_go_of_what_its_callback_holds() -> None:
    class Owner:
        def fire(self) -> None: ...

    wheel, owner = TimerWheel(ManualClock()), Owner()
    timer = wheel.schedule(10, owner.fire)
    gone = weakref.ref(owner)
    timer.cancel()
    del owner
    assert gone() is None
