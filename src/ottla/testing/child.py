"""`python -m ottla.testing.child`: a broker that lives as long as whoever started it.

stdin     one line of JSON: the properties; then nothing, and the end of it stops the broker
stdout    one line: the address, once the broker answers
stderr    log lines
"""

import asyncio
import contextlib
import json
import os

from ottla.broker.broker import Broker
from ottla.config import BrokerConfig
from ottla.observability.logs import setup_logging
from ottla.transport.event_loop import MeasuredEventLoop

STDIN = 0


async def serve(config: BrokerConfig) -> None:
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()

    def stdin_ready() -> None:
        if not os.read(STDIN, 1024) and not over.done():
            loop.remove_reader(STDIN)
            over.set_result(None)

    broker = Broker(config)
    try:
        await broker.start()
        loop.add_reader(STDIN, stdin_ready)
        print(broker.address, flush=True)
        await asyncio.wait([over, broker.failed], return_when=asyncio.FIRST_COMPLETED)
        if broker.failed.done():
            broker.failed.result()
    finally:
        await broker.stop()


def read_properties_line() -> dict[str, str]:
    """Byte for byte, so that nothing of what follows is buffered away from the event loop."""
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(STDIN, 1) or b"\n"
    properties: dict[str, str] = json.loads(line)
    return properties


def main() -> None:
    setup_logging()
    config = BrokerConfig.load(read_properties_line())
    with contextlib.suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=MeasuredEventLoop) as runner:
        runner.run(serve(config))


if __name__ == "__main__":
    main()
