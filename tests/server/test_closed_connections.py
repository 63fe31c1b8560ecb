"""What is left of a connection that was closed: nothing, and no work for the garbage collector."""

import asyncio
import gc
import logging

import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.server.channel import Channel
from ottla.server.deadlines import Deadlines
from ottla.transport import Connection
from ottla.transport.chunk_writer import ChunkWriter
from ottla.transport.frame_reader import FrameReader
from support.servers import handler_table, running_server

HEARTBEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


@pytest.fixture
def no_collector():
    """Nor pytest's record of what is logged, which keeps the connections that were."""
    logging.disable(logging.CRITICAL)
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    logging.disable(logging.NOTSET)


PARTS = (Channel, Connection, FrameReader, ChunkWriter, Deadlines)


def alive() -> int:
    return sum(isinstance(found, PARTS) for found in gc.get_objects())


@pytest.mark.usefixtures("no_collector")
def test_closed_connections_are_freed_without_the_collector():
    async def scenario():
        before = alive()
        async with running_server(handler_table({ApiKey.HEARTBEAT: lambda c, r: HeartbeatResponse()})) as running:
            peers = [running.connect() for _ in range(20)]
            for peer in peers:
                await peer.ask(HEARTBEAT, 1)
            assert alive() == before + len(PARTS) * 20
            for peer in peers[:10]:
                peer.sock.close()
            await peers[10].send(b"\xff\xff\xff\xff")  # no frame: closed by the server
            await running.until(lambda: running.server.connection_count == 9)
            await asyncio.sleep(0)
            assert alive() == before + len(PARTS) * 9

    asyncio.run(asyncio.wait_for(scenario(), 60))
