"""Records on their way in: gathered by partition until there is a batch worth sending.

Any thread adds records to an open batch (`kernel_gather`); opening one is done under the lock, and the sender takes
batches out on the loop, under the lock too. The loop is woken once for many records: when a batch is opened or filled
and no wake-up is on its way already.

Invariants: a queue is in `pending` exactly while it has an open batch or a queue. `incomplete` holds every batch that
is not complete. A batch's room in `buffer.memory` is reserved from its opening to its completion.
"""

import threading
from bisect import insort
from collections.abc import Callable, Iterable

from ottla.clients.errors import ClientClosedError
from ottla.clients.producer.batch import ProducerBatch
from ottla.clients.producer.futures import RecordFuture
from ottla.clients.producer.memory import BufferMemory
from ottla.clients.producer.record_sources import RecordLists, RecordSource
from ottla.clients.producer.topics import PartitionQueue
from ottla.clock import Clock


class Accumulator:
    def __init__(self, batch_size: int, memory_bytes: int, clock: Clock, wake: Callable[[], object]) -> None:
        self.lock = threading.Lock()
        self.memory = BufferMemory(memory_bytes, self.lock)
        self.batch_size = batch_size
        self.pending: dict[PartitionQueue, None] = {}
        self.incomplete: dict[ProducerBatch, None] = {}
        self.flushes = 0
        self.closed = False
        self.wake_pending = False
        self._clock = clock
        self._wake = wake

    # Appending: any thread, under the lock

    def open_batch(self, queue: PartitionQueue, size: int) -> ProducerBatch | None:
        """A batch with room for a record of `size` bytes; None when `buffer.memory` has none. Under the lock."""
        if self.closed:
            raise ClientClosedError("the producer is closed")
        if not self.memory.try_reserve(max(self.batch_size, size)):
            return None
        if queue.open is not None:
            self.close_open(queue)
        records = RecordLists(RecordFuture, self.batch_size)
        batch = records.owner = ProducerBatch(queue.topic, queue.partition, self._clock.monotonic(), records)
        batch.reserved_bytes = max(self.batch_size, size)
        queue.open = batch
        self.pending[queue] = None
        self.incomplete[batch] = None
        self.wake()
        return batch

    def enqueue(self, queue: PartitionQueue, records: RecordSource, size: int) -> ProducerBatch | None:
        """A whole batch at once, behind what is there; None when there is no room for it. Under the lock."""
        if self.closed:
            raise ClientClosedError("the producer is closed")
        if not self.memory.try_reserve(size):
            return None
        if queue.open is not None:
            self.close_open(queue)
        batch = ProducerBatch(queue.topic, queue.partition, self._clock.monotonic(), records)
        batch.size = batch.reserved_bytes = size
        queue.queue.append(batch)
        self.pending[queue] = None
        self.incomplete[batch] = None
        self.wake()
        return batch

    def close_open(self, queue: PartitionQueue) -> None:
        """No more records into the open batch. Under the lock."""
        batch = queue.open
        assert batch is not None
        queue.open = None
        assert isinstance(batch.records, RecordLists)
        batch.size = batch.records.close()
        queue.queue.append(batch)
        queue.owner.note_closed(queue, batch.size, self.batch_size)
        unused = batch.reserved_bytes - batch.size
        if unused > 0:
            batch.reserved_bytes = batch.size
            self.memory.release(unused)

    def wake(self) -> None:
        """Let the sender look, unless it will anyway. Under the lock."""
        if not self.wake_pending:
            self.wake_pending = True
            self._wake()

    # Taking out: the sender, on the loop

    def requeue(self, queue: PartitionQueue, batches: Iterable[ProducerBatch]) -> None:
        """Batches to be sent again, at their old places before all that were never sent."""
        with self.lock:
            for batch in batches:
                insort(queue.queue, batch, key=_order)
            self.pending[queue] = None

    def replace(self, batch: ProducerBatch, halves: Iterable[ProducerBatch]) -> None:
        """The halves of a batch stand for it from now on."""
        with self.lock:
            del self.incomplete[batch]
            self.incomplete.update(dict.fromkeys(halves))

    def completed(self, batch: ProducerBatch) -> None:
        """Give back the batch's room."""
        with self.lock:
            self.incomplete.pop(batch, None)
            self.memory.release(batch.reserved_bytes)

    def drop_if_empty(self, queue: PartitionQueue) -> None:
        """Under the lock."""
        if queue.open is None and not queue.queue:
            self.pending.pop(queue, None)

    def close(self) -> None:
        with self.lock:
            self.closed = True


def _order(batch: ProducerBatch) -> float:
    """Batches that were never sent come last, in the order in which they were made."""
    return batch.order or float("inf")
