from ottla.clock import ManualClock
from ottla.coordination.lease import Lease


def test_lease_runs_from_when_the_answered_request_was_sent() -> None:
    clock = ManualClock()
    lease = Lease(clock)
    sent_at = clock.monotonic()
    clock.advance_ms(900)  # the answer took long
    lease.begin(sent_at, 1000)
    assert lease.valid()
    clock.advance_ms(100)
    assert not lease.valid()


def test_lease_never_shrinks_by_an_answer_that_comes_late() -> None:
    clock = ManualClock()
    lease = Lease(clock)
    first = clock.monotonic()
    lease.begin(first, 1000)
    clock.advance_ms(500)
    lease.renew(clock.monotonic())
    lease.renew(first)
    clock.advance_ms(900)
    assert lease.valid()


def test_ended_lease_is_over_at_once() -> None:
    clock = ManualClock()
    lease = Lease(clock)
    lease.begin(clock.monotonic(), 1000)
    lease.end()
    assert not lease.valid()
    assert lease.remaining_s() == 0


def test_wall_clock_does_not_matter() -> None:
    clock = ManualClock()
    lease = Lease(clock)
    lease.begin(clock.monotonic(), 1000)
    clock.jump_wall_ms(10_000_000)
    assert lease.valid()
