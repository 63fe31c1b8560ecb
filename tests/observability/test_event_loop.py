import asyncio
import socket

from ottla.observability.event_loop import EventLoopMonitor, MeasuredEventLoop, MeasuredSelector
from ottla.observability.metrics import Metrics


class TickingMetrics(Metrics):
    """Tells when the monitor has ticked three times: it turns the windows at each tick."""

    def __init__(self) -> None:
        super().__init__()
        self.ticks = 0
        self.ticked = asyncio.Event()

    def rotate(self) -> None:
        super().rotate()
        self.ticks += 1
        if self.ticks == 3:
            self.ticked.set()


def test_a_step_is_the_time_from_one_select_to_the_next() -> None:
    times = iter([1.0, 1.5, 2.0, 5.0, 6.0])
    selector = MeasuredSelector(lambda: next(times))
    selector.select(0)  # wakes at 1.0
    selector.select(0)  # began at 1.5, wakes at 2.0
    selector.select(0)  # began at 5.0, wakes at 6.0
    assert selector.busy == 3.5
    assert selector.turns == 3
    assert selector.take_longest_step() == 3.0
    assert selector.take_longest_step() == 0.0
    selector.close()


def test_it_selects_as_the_systems_selector_does() -> None:
    left, right = socket.socketpair()
    selector = MeasuredSelector()
    selector.register(left, 1)
    assert selector.select(0) == []
    right.send(b"x")
    ((key, _),) = selector.select(1)
    assert key.fileobj is left
    selector.close()
    left.close()
    right.close()


def test_the_monitor_exports_lag_idle_share_and_longest_step() -> None:
    metrics = TickingMetrics()

    async def main() -> None:
        monitor = EventLoopMonitor(asyncio.get_running_loop(), metrics, tick_seconds=0.001)
        monitor.start()
        await asyncio.wait_for(metrics.ticked.wait(), 30)
        assert metrics.histogram("ottla_event_loop_lag_seconds").count == 3
        assert 0.0 <= monitor.idle_share() <= 1.0
        assert monitor.longest_step() > 0.0
        monitor.stop()

    with asyncio.Runner(loop_factory=MeasuredEventLoop) as runner:
        runner.run(main())
        text = b"".join(metrics.render()).decode()
    for name in (
        "ottla_event_loop_longest_step_seconds ",
        "ottla_event_loop_busy_seconds_total ",
        "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent ",
        'kafka_network_processor_idle_percent{networkProcessor="0"} ',
    ):
        assert f"\n{name}" in text


def test_on_a_loop_that_is_not_measured_the_lag_is_still_known() -> None:
    metrics = TickingMetrics()

    async def main() -> None:
        monitor = EventLoopMonitor(asyncio.get_running_loop(), metrics, tick_seconds=0.001)
        monitor.start()
        await asyncio.wait_for(metrics.ticked.wait(), 30)
        monitor.stop()
        monitor.stop()

    asyncio.run(main())
    assert metrics.histogram("ottla_event_loop_lag_seconds").count == 3
    assert b"idle_percent" not in b"".join(metrics.render())
