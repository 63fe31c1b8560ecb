"""What every part of a client needs and none makes for itself: the event loop, time, timers, the way to open sockets.

A broker passes its own loop, clock and timer wheel here for its requests to other brokers; a simulation passes a
`connect` that leads to another object in the same process.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from ottla.clock import Clock, SystemClock, TimerWheel
from ottla.transport import Connection, ReceiveBuffer, open_connection
from ottla.transport.connection import CloseReason

RECEIVE_BYTES = 64 * 1024
TICK_MS = 5


class Connect(Protocol):
    """Opens a connection that reads at once; OSError when it cannot. `transport.open_connection` is one."""

    def __call__(
        self,
        host: str,
        port: int,
        on_frame: Callable[[memoryview], bool | None],
        on_closed: Callable[[CloseReason], None],
        *,
        receive_buffer: ReceiveBuffer,
        clock: Clock,
        frame_size_max: int = ...,
    ) -> Awaitable[Connection]: ...


class Runtime(NamedTuple):
    loop: asyncio.AbstractEventLoop
    clock: Clock
    wheel: TimerWheel
    receive_buffer: ReceiveBuffer
    connect: Connect = open_connection


def runtime_of_running_loop() -> Runtime:
    """A runtime of its own for the loop that this is called on."""
    loop = asyncio.get_running_loop()
    clock = SystemClock()
    wheel = TimerWheel(clock, TICK_MS)
    wheel.attach(loop)
    return Runtime(loop, clock, wheel, ReceiveBuffer(RECEIVE_BYTES))
