"""The server as a process of its own: zoo.cfg in, runs until SIGTERM or Ctrl-C."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from ottla.coordination.embedded.server import EmbeddedZooKeeper
from ottla.coordination.embedded.server_config import ServerConfig, config_from_properties, parse_properties
from ottla.errors import OperatorError, OttlaError
from ottla.observability.logs import setup_logging

DEFAULT_DATA_DIR = "data/zookeeper"


def load_config(path: str | None) -> ServerConfig:
    """The configuration in this zoo.cfg; without one the defaults, with data below the working directory."""
    if path is None:
        return ServerConfig(data_dir=DEFAULT_DATA_DIR)
    try:
        text = Path(path).read_text()
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    return config_from_properties(parse_properties(text))


async def serve(config: ServerConfig) -> int:
    """Run until told to stop (0) or until the log fails (1)."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    server = EmbeddedZooKeeper(config, on_failure=lambda _: stopped.set())
    await server.start()
    print(f"ZooKeeper server listens on {server.host}:{server.port}", flush=True)
    await stopped.wait()
    await server.stop()
    return 1 if server.failed.done() else 0


def main(arguments: Sequence[str]) -> int:
    setup_logging()
    if len(arguments) > 1:
        print("usage: ottla zookeeper [zoo.cfg]", file=sys.stderr)
        return 2
    try:
        return asyncio.run(serve(load_config(arguments[0] if arguments else None)))
    except OttlaError as error:
        print(f"ottla zookeeper: {error}", file=sys.stderr)
        return 2 if isinstance(error, OperatorError) else 1
