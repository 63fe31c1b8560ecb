"""A listening socket on the test's loop, and descriptors that run out."""

import asyncio
import logging
import socket
from collections.abc import Callable

import pytest

from ottla.clock import SystemClock
from ottla.observability.logs import RateLimitedLogger
from ottla.transport.acceptor import Acceptor
from support.coroutines import on_event_loop
from support.descriptors import no_descriptors_left


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what is waited for has no event to set
        await asyncio.sleep(0.001)


@on_event_loop
async def test_connections_that_the_system_cannot_give_wait_and_one_line_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    accepted: list[socket.socket] = []
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)
    address = listening.getsockname()
    log = RateLimitedLogger(logging.getLogger("ottla.test"))
    acceptor = Acceptor(
        listening, asyncio.get_running_loop(), SystemClock(), log, "it", lambda sock, _: accepted.append(sock)
    )
    acceptor.start()
    clients = [socket.socket() for _ in range(5)]
    with no_descriptors_left():
        for client in clients:
            client.connect(address)
        await until(lambda: acceptor.pause_count > 2)
    await until(lambda: len(accepted) == 5)
    acceptor.close()
    for sock in clients + accepted:
        sock.close()
    assert [record.getMessage() for record in caplog.records] == [
        "it accepts no connections for now: Too many open files"
    ]
