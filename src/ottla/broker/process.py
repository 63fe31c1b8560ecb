"""The process around a broker: event loop, signals, log lines, exit code.

SIGTERM and Ctrl-C stop cleanly; a second one ends the process at once. The loop is the selector loop, measured, since
the transport works on raw sockets. `gc.freeze()` after the start keeps what will live for ever out of every collection.
"""

import asyncio
import contextlib
import gc
import logging
import os
import signal

from ottla.broker.broker import Broker
from ottla.config import BrokerConfig, ConfigSource
from ottla.observability.logs import setup_logging
from ottla.transport.event_loop import MeasuredEventLoop

logger = logging.getLogger(__name__)

# Requests that wait are many, live for a moment and have no cycles: Python's own thresholds (700, 10, 10) had the
# collector look through all of them again and again, for half of the CPU with 5,000 waiting consumers.
GC_THRESHOLDS = (10_000, 50, 100)

TOUR = """
Ottla is up on {address}. In another terminal:

    echo 'hello' | kcat -P -b {address} -t greetings
    kcat -C -b {address} -t greetings -e

    pip install confluent-kafka    # or any other Kafka client, in any language

Data lies under {directory}. Ctrl-C stops.
"""


def run_broker(config: BrokerConfig, *, tour: bool = False) -> None:
    """Run until a signal; raises what kept the broker from starting or made it give up."""
    setup_logging(config.string("ottla.log.level") or "INFO")
    log_configuration(config)
    with asyncio.Runner(loop_factory=MeasuredEventLoop) as runner:
        runner.run(_serve(config, tour))


async def _serve(config: BrokerConfig, tour: bool) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _on_signal, number, stopping)
    broker = Broker(config)
    try:
        await broker.start()
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        if tour:
            print(TOUR.format(address=broker.address, directory=config.log_dirs[0]), flush=True)
        await _first(stopping, broker.failed)
    finally:
        await broker.stop()


async def _first(stopping: asyncio.Event, failed: "asyncio.Future[None]") -> None:
    """Until somebody wants the broker to stop, or the broker cannot go on: then its reason is raised."""
    waiting = asyncio.ensure_future(stopping.wait())
    failed.add_done_callback(lambda _: waiting.cancel())
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    if failed.done():
        failed.result()


def _on_signal(number: int, stopping: asyncio.Event) -> None:
    if stopping.is_set():
        logger.warning("second %s: ending at once, recovery will run at the next start", signal.Signals(number).name)
        os._exit(1)
    logger.info("%s: stopping", signal.Signals(number).name)
    stopping.set()


def log_configuration(config: BrokerConfig) -> None:
    """Every effective key, the overridden ones marked, then what deserves a warning."""
    logger.info("effective configuration; what was set is marked with *")
    for key in config.describe():
        logger.info("%s %s = %s", " " if key.source is ConfigSource.DEFAULT else "*", key.name, key.text)
    for note in config.notes:
        logger.info("%s", note)
    for warning in config.warnings:
        logger.warning("%s", warning)
