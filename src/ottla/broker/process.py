"""The process around a broker: event loop, signals, log lines, exit code.

SIGTERM and Ctrl-C stop cleanly, also in the middle of the start; a second one ends the process at once, and so does a
stop that takes too long (`stop_deadline`). The exit code is 0 when everything was stopped in order.

The loop is the selector loop, measured, since the transport works on raw sockets. `gc.freeze()` after the start keeps
what will live for ever out of every collection.
"""

import asyncio
import contextlib
import gc
import logging
import os
import platform
import signal

from ottla import __version__
from ottla.broker.broker import Broker
from ottla.broker.stop_deadline import StopDeadline
from ottla.config import BrokerConfig, ConfigSource
from ottla.errors import OttlaError
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


class DisorderlyStopError(OttlaError):
    """The broker ended, and left something undone."""


def run_broker(config: BrokerConfig, *, tour: bool = False) -> None:
    """Run until a signal; raises what kept the broker from starting or made it give up."""
    setup_logging(config.string("ottla.log.level") or "INFO")
    logger.info("Ottla %s starts, process %d, Python %s", __version__, os.getpid(), platform.python_version())
    log_configuration(config)
    with asyncio.Runner(loop_factory=MeasuredEventLoop) as runner:
        runner.run(_serve(config, tour))


async def _serve(config: BrokerConfig, tour: bool) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    broker = Broker(config)
    deadline = StopDeadline(config.int("ottla.stop.timeout.ms") / 1000, broker.stops)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, _on_signal, number, stopping, deadline)
    try:
        if await _start(broker, stopping):
            gc.collect()
            gc.freeze()
            gc.set_threshold(*GC_THRESHOLDS)
            if tour:
                print(TOUR.format(address=broker.address, directory=config.log_dirs[0]), flush=True)
            await _first(stopping, broker.failed)
    finally:
        deadline.start()
        await broker.stop()
    if broker.stops.left:
        raise DisorderlyStopError(f"not everything was stopped in order: {', '.join(broker.stops.left)}")


async def _start(broker: Broker, stopping: asyncio.Event) -> bool:
    """False when it is to stop before it is up: a start may wait long for ZooKeeper, or for a recovery."""
    starting = asyncio.ensure_future(broker.start())
    waiting = asyncio.ensure_future(stopping.wait())
    await asyncio.wait([starting, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if not starting.done():
        starting.cancel()
        await asyncio.wait([starting])
        return False
    starting.result()
    return True


async def _first(stopping: asyncio.Event, failed: "asyncio.Future[None]") -> None:
    """Until somebody wants the broker to stop, or the broker cannot go on: then its reason is raised."""
    waiting = asyncio.ensure_future(stopping.wait())
    failed.add_done_callback(lambda _: waiting.cancel())
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    if failed.done():
        failed.result()


def _on_signal(number: int, stopping: asyncio.Event, deadline: StopDeadline) -> None:
    if stopping.is_set():
        logger.warning("second %s: ending at once, recovery will run at the next start", signal.Signals(number).name)
        os._exit(1)
    logger.info("%s: stopping", signal.Signals(number).name)
    deadline.start()
    stopping.set()


def log_configuration(config: BrokerConfig) -> None:
    """What was set, in one line; every effective key at DEBUG; then what deserves a warning."""
    keys = list(config.describe())
    given = [f"{key.name}={key.text}" for key in keys if key.source is not ConfigSource.DEFAULT]
    logger.info("configuration: %s", ", ".join(given) or "nothing is set, the defaults hold")
    for key in keys:
        logger.debug("%s", key)
    if config.notes:
        logger.info("%d keys have no effect: %s", len(config.notes), "; ".join(config.notes))
    for warning in config.warnings:
        logger.warning("%s", warning)
