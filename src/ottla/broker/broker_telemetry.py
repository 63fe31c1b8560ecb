"""What the broker tells about itself: metrics of the whole, the event loop's pulse, the Prometheus endpoint.

They begin before the logs are loaded, since recovery is when an operator wants to look, and end with the process;
the parts that serve are added when they are there.
"""

import asyncio
import logging
from enum import IntEnum
from typing import TYPE_CHECKING

from ottla.broker.control_metrics import register_control_metrics, register_identity, register_session_metrics
from ottla.broker.data_metrics import register_data_metrics
from ottla.broker.log_metrics import register_loading_metrics, register_log_metrics
from ottla.broker.metrics_endpoint import MetricsEndpoint
from ottla.broker.replication_metrics import register_replication_metrics
from ottla.observability.event_loop import EventLoopMonitor
from ottla.observability.process_metrics import register_process_metrics
from ottla.records.kernels import KERNELS_COMPILED
from ottla.records.kernels.loading import COMPILE_ADVICE
from ottla.transport.event_loop import MeasuredEventLoop

if TYPE_CHECKING:
    from ottla.broker.broker import Broker

logger = logging.getLogger(__name__)


class BrokerState(IntEnum):
    """Kafka's codes for what a broker is doing."""

    STARTING = 1
    RECOVERING = 2
    RUNNING = 3
    CONTROLLED_SHUTDOWN = 6
    STOPPING = 7


class BrokerTelemetry:
    def __init__(self, broker: "Broker") -> None:
        self._broker = broker
        self._endpoint: MetricsEndpoint | None = None
        self._state = broker.metrics.gauge("kafka_server_kafkaserver_brokerstate")
        self.enter(BrokerState.STARTING)
        loop = asyncio.get_running_loop()
        steps = loop.measured if isinstance(loop, MeasuredEventLoop) else None
        self._monitor = EventLoopMonitor(loop, steps, broker.metrics)

    async def start(self) -> None:
        self._register_process()
        self._monitor.start()
        port = self._broker.config.int("ottla.metrics.port")
        if port >= 0:
            host = self._broker.config.string("ottla.metrics.host") or "localhost"
            self._endpoint = MetricsEndpoint(self._broker.metrics, self._broker.clock)
            port = self._endpoint.start(host, port)
            logger.info("metrics on http://%s:%d/metrics", host, port)

    async def stop(self) -> None:
        self._monitor.stop()
        if self._endpoint is not None:
            await self._endpoint.stop()

    def enter(self, state: BrokerState) -> None:
        self._state.value = state

    def _register_process(self) -> None:
        metrics = self._broker.metrics
        register_process_metrics(metrics)
        register_loading_metrics(metrics, self._broker.data.logs)
        register_identity(metrics, self._broker.identity.cluster_id)
        metrics.gauge("ottla_kernels_compiled", function=lambda: float(KERNELS_COMPILED))
        if not KERNELS_COMPILED:
            logger.warning("the record kernels run interpreted, which is slow: %s", COMPILE_ADVICE)

    def watch_parts(self) -> None:
        """The broker has all its parts: theirs can be told too."""
        broker = self._broker
        metrics = broker.metrics
        register_log_metrics(metrics, broker.data.logs)
        register_data_metrics(metrics, broker.data, broker.data.fetch_sessions)
        register_control_metrics(metrics, broker.control, broker.metadata)
        register_replication_metrics(metrics, broker.data.replicas, broker.control)
        register_session_metrics(metrics, broker.session)
