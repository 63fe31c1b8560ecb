"""The bound on records that wait: `buffer.memory`.

A batch reserves its room when it is opened and gives it back when it completes. Who finds no room waits for some, up to
`max.block.ms`, a thread on a condition and a coroutine on a future, and both try again. Guarded by the accumulator's
lock.
"""

import asyncio
import threading
import time

from ottla.clients.errors import BufferExhaustedError


class BufferMemory:
    def __init__(self, total_bytes: int, lock: threading.Lock) -> None:
        self.total_bytes = total_bytes
        self.available_bytes = total_bytes
        self.waiting_count = 0
        self.waited_s = 0.0
        self._freed = threading.Condition(lock)
        self._futures: list[asyncio.Future[None]] = []

    def try_reserve(self, size: int) -> bool:
        """Under the lock. A batch larger than the whole buffer may have it when it is empty."""
        if size <= self.available_bytes or self.available_bytes == self.total_bytes:
            self.available_bytes -= size
            return True
        return False

    def release(self, size: int) -> None:
        """Under the lock."""
        self.available_bytes += size
        if self.waiting_count:
            self._freed.notify_all()
            futures, self._futures = self._futures, []
            for future in futures:
                if not future.done():
                    future.get_loop().call_soon_threadsafe(_wake, future)

    def wait(self, deadline: float) -> None:
        """Wait for room on a thread, until `deadline` on the monotonic clock. Under the lock, which is let go of."""
        began = time.monotonic()
        self.waiting_count += 1
        try:
            if began >= deadline or not self._freed.wait(deadline - began):
                raise exhausted(self.total_bytes)
        finally:
            self.waiting_count -= 1
            self.waited_s += time.monotonic() - began

    def make_waiter(self) -> "asyncio.Future[None]":
        """A future that is done when there may be room. Under the lock."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._futures.append(future)
        self.waiting_count += 1
        future.add_done_callback(self._stop_waiting)
        return future

    def _stop_waiting(self, _future: "asyncio.Future[None]") -> None:
        self.waiting_count -= 1


def _wake(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def exhausted(total_bytes: int) -> BufferExhaustedError:
    return BufferExhaustedError(f"buffer.memory ({total_bytes} bytes) is full of records that are not acknowledged yet")
