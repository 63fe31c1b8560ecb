"""A server in a process of its own that says what it costs: for more connections than one process may have.

Run as `python -m support.counting_server MAX_CONNECTIONS`. Prints its port; then, for each line on standard input, one
line of JSON with its connections, descriptors and resident memory.
"""

import asyncio
import contextlib
import gc
import json
import os
import sys
from pathlib import Path

from ottla.server import ServerLimits
from ottla.server.connection_limits import raise_descriptor_limit
from support.servers import running_server


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def main(max_connections: int) -> None:
    limits = ServerLimits(max_connections=max_connections, socket_listen_backlog_size=1024)
    async with running_server(limits=limits) as running:
        print(running.ports["PLAINTEXT"], flush=True)
        loop = asyncio.get_running_loop()
        asked: asyncio.Queue[str] = asyncio.Queue()
        loop.add_reader(sys.stdin, lambda: asked.put_nowait(sys.stdin.readline()))
        while await asked.get():
            gc.collect()
            report = {
                "connections": running.server.connection_count,
                "descriptors": len(os.listdir("/proc/self/fd")),
                "resident_bytes": resident_bytes(),
                "accepting": running.server.listeners[0].is_accepting,
            }
            print(json.dumps(report), flush=True)
        loop.remove_reader(sys.stdin)


if __name__ == "__main__":
    raise_descriptor_limit()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(int(sys.argv[1])))
