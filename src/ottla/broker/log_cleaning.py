"""The cleaner of a broker: the child process, the thread that waits for it, and the decisions on the loop."""

import asyncio

from ottla.clock import Clock
from ottla.config import BrokerConfig
from ottla.observability.metrics import Metrics
from ottla.storage.background import ThreadBackground
from ottla.storage.cleaner.cleaner_metrics import CleanerMetrics
from ottla.storage.cleaner.log_cleaner import LogCleaner
from ottla.storage.cleaner.process import CleanerProcess
from ottla.storage.cleaner.settings import CleanerSettings
from ottla.storage.log_manager import LogManager


class LogCleaning:
    def __init__(
        self, config: BrokerConfig, logs: LogManager, clock: Clock, metrics: Metrics, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._process = CleanerProcess()
        self._background = ThreadBackground("cleaner", loop.call_soon_threadsafe)
        self.cleaner = LogCleaner(
            logs,
            lambda: CleanerSettings.from_config(config),
            clock,
            self._process.run,
            self._background,
            CleanerMetrics(metrics),
        )

    def load(self) -> None:
        """When the logs are loaded."""
        self.cleaner.load()

    def tick(self) -> None:
        self.cleaner.tick()

    def stop(self) -> None:
        """Whatever is being cleaned is cleaned again after the next start. Blocks for a moment."""
        self.cleaner.stop()
        self._process.stop()
        self._background.close()
