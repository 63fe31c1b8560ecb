from ottla.clock import ManualClock
from ottla.observability.windowed_ratio import RecentShare


def test_share_is_that_of_the_last_windows_and_forgets_older_ones():
    clock = ManualClock()
    seconds = 0.0
    share = RecentShare(clock, lambda: seconds)
    assert share.read() == 0
    clock.advance_ms(10_000)
    seconds = 5.0
    assert share.read() == 0.5
    clock.advance_ms(50_000)
    assert share.read() == 5 / 60
    clock.advance_ms(60_000)
    share.read()
    clock.advance_ms(60_000)
    assert share.read() == 0
