from ottla.clock import ManualClock, Stopwatch


def test_stopwatch_adds_what_runs_and_only_that():
    clock = ManualClock()
    stopwatch = Stopwatch(clock)
    clock.advance_ms(5000)
    assert stopwatch.elapsed_s == 0
    stopwatch.start()
    clock.advance_ms(2000)
    stopwatch.start()
    clock.advance_ms(1000)
    assert stopwatch.elapsed_s == 3
    stopwatch.stop()
    clock.advance_ms(7000)
    stopwatch.stop()
    assert stopwatch.elapsed_s == 3
    stopwatch.start()
    clock.advance_ms(500)
    assert stopwatch.elapsed_s == 3.5
