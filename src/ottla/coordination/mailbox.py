"""From other threads to the event loop: any number of messages, one wake-up of the loop per batch."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any


class Mailbox:
    """`post` may be called from any thread; the callbacks run on the loop in the order in which they were posted."""

    __slots__ = ("_awake", "_loop", "_messages")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._messages: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._awake = False

    def post(self, callback: Callable[..., None], *args: Any) -> None:
        self._messages.append((callback, args))
        # `_drain` clears the flag before it takes messages, so one that was appended while it is set is always taken.
        if not self._awake:
            self._awake = True
            self._wake()

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._drain)
        except RuntimeError:  # the loop is closed: nobody is left to tell
            self._messages.clear()

    def _drain(self) -> None:
        self._awake = False
        messages = self._messages
        for _ in range(len(messages)):
            callback, args = messages.popleft()
            callback(*args)
        if messages and not self._awake:
            self._awake = True
            self._wake()
