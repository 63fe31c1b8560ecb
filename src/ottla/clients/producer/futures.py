"""What `send` gives back: a light future, a pair of batch and index.

A `concurrent.futures.Future` with its lock and condition costs more than everything else that `send` does. This one is
a tuple, made by the kernel that gathers records; waiting, where somebody waits, is done by the batch. Threads call
`result()`, coroutines await it.
"""

import asyncio
import time
from collections.abc import Callable, Generator, Iterable
from typing import Any

from ottla.clients.errors import ClientTimeoutError
from ottla.clients.producer.batch import ProducerBatch
from ottla.clients.producer.metadata import BatchMetadata, RecordMetadata
from ottla.errors import OttlaError


def wait_for_batch(batch: ProducerBatch, timeout: float | None) -> bool:
    """Whether the batch is complete, after waiting up to `timeout` seconds. Not for the client's own loop."""
    if batch.done:
        return True
    event = batch.make_event()
    return batch.done or event.wait(timeout)


async def until_done(batch: ProducerBatch) -> None:
    """Wait on an event loop; the batch may belong to the loop of another thread."""
    if batch.done:
        return
    loop = asyncio.get_running_loop()
    future: asyncio.Future[None] = loop.create_future()

    def complete() -> None:
        if not future.done():
            future.set_result(None)

    batch.add_done_callback(lambda _batch: loop.call_soon_threadsafe(complete))
    await future


class RecordFuture(tuple[ProducerBatch, int]):
    """The outcome of one `send`.

    ::

        future = producer.send("clicks", b"...")
        future.result(timeout=10).offset        # or: (await future).offset
    """

    __slots__ = ()

    def done(self) -> bool:
        return self[0].done

    def result(self, timeout: float | None = None) -> RecordMetadata:
        """Wait up to `timeout` seconds for the outcome. Raises the error that the record failed with."""
        if not wait_for_batch(self[0], timeout):
            raise ClientTimeoutError(f"the record is not acknowledged after {timeout} seconds")
        return self[0].metadata(self[1])

    def exception(self, timeout: float | None = None) -> OttlaError | None:
        """The error that the record failed with, None when it was written."""
        try:
            self.result(timeout)
        except ClientTimeoutError:
            if not self[0].done:
                raise
            return self[0].error
        except OttlaError as error:
            return error
        return None

    def add_done_callback(self, callback: Callable[["RecordFuture"], object]) -> None:
        """Call back with this future when the record is done. Runs on the client's loop: be quick."""
        self[0].add_done_callback(lambda _batch: callback(self))

    def __await__(self) -> Generator[Any, None, RecordMetadata]:
        yield from until_done(self[0]).__await__()
        return self[0].metadata(self[1])

    def __repr__(self) -> str:
        state = "pending" if not self[0].done else "failed" if self[0].error else "done"
        return f"<RecordFuture {self[0].topic}-{self[0].partition} {state}>"


class BulkFuture:
    """The outcome of `send_many` and `send_arrow`: many records in some batches.

    ::

        written = producer.send_many("clicks", values).result()
        sum(batch.records_count for batch in written)
    """

    __slots__ = ("_batches",)

    def __init__(self, batches: Iterable[ProducerBatch]) -> None:
        self._batches = tuple(batches)

    @classmethod
    def joined(cls, futures: "Iterable[BulkFuture]") -> "BulkFuture":
        """One future for several calls."""
        return cls(batch for future in futures for batch in future._batches)

    def __len__(self) -> int:
        """How many records there are."""
        return sum(batch.records_count for batch in self._batches)

    def done(self) -> bool:
        return all(batch.done for batch in self._batches)

    def result(self, timeout: float | None = None) -> list[BatchMetadata]:
        """Wait up to `timeout` seconds for every batch. Raises the error of the first batch that failed."""
        deadline = _Deadline(timeout)
        for batch in self._batches:
            if not wait_for_batch(batch, deadline.left()):
                raise ClientTimeoutError(f"not all records are acknowledged after {timeout} seconds")
        return self._metadata()

    def _metadata(self) -> list[BatchMetadata]:
        return [found for batch in self._batches for found in batch.batch_metadata()]

    async def _wait(self) -> list[BatchMetadata]:
        for batch in self._batches:
            await until_done(batch)
        return self._metadata()

    def __await__(self) -> Generator[Any, None, list[BatchMetadata]]:
        return self._wait().__await__()


class _Deadline:
    """One time limit for many waits."""

    __slots__ = ("_end",)

    def __init__(self, timeout: float | None) -> None:
        self._end = None if timeout is None else time.monotonic() + timeout

    def left(self) -> float | None:
        return None if self._end is None else max(0.0, self._end - time.monotonic())
