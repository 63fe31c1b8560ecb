import asyncio

from ottla.observability.event_loop import EventLoopMonitor
from ottla.observability.metrics import Metrics
from ottla.transport.event_loop import MeasuredEventLoop


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


def test_the_monitor_exports_lag_idle_share_and_longest_step() -> None:
    metrics = TickingMetrics()

    async def main(loop: MeasuredEventLoop) -> None:
        monitor = EventLoopMonitor(loop, loop.measured, metrics, tick_seconds=0.001)
        monitor.start()
        await asyncio.wait_for(metrics.ticked.wait(), 30)
        assert metrics.histogram("ottla_event_loop_lag_seconds").count == 3
        assert 0.0 <= monitor.idle_share() <= 1.0
        assert monitor.longest_step() > 0.0
        monitor.stop()

    with asyncio.Runner(loop_factory=MeasuredEventLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, MeasuredEventLoop)
        runner.run(main(loop))
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
        monitor = EventLoopMonitor(asyncio.get_running_loop(), None, metrics, tick_seconds=0.001)
        monitor.start()
        await asyncio.wait_for(metrics.ticked.wait(), 30)
        monitor.stop()
        monitor.stop()

    asyncio.run(main())
    assert metrics.histogram("ottla_event_loop_lag_seconds").count == 3
    assert b"idle_percent" not in b"".join(metrics.render())
