"""The producer's id and epoch (idempotence, KIP-98 and KIP-360).

The id is asked for once. When records of a partition were lost for certain (a batch failed for good, or the broker has
forgotten what it knew), the sequences that follow would have a gap, so the partition goes on with the next epoch and
sequence 0. The epoch of an id ends at 32767; then there is a new id.
"""

import asyncio
from collections.abc import Callable

from ottla.clients.cluster import Cluster
from ottla.clients.errors import broker_error
from ottla.clients.producer.topics import PartitionQueue
from ottla.errors import KafkaError, RetriableError
from ottla.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from ottla.records.attributes import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE

EPOCH_MAX = 2**15 - 1


class ProducerIdentity:
    def __init__(self, cluster: Cluster, on_ready: Callable[[], object]) -> None:
        self.producer_id = NO_PRODUCER_ID
        self.epoch = NO_PRODUCER_EPOCH
        self.failure: KafkaError | None = None
        self._cluster = cluster
        self._on_ready = on_ready
        self._asking: asyncio.Task[None] | None = None

    @property
    def is_ready(self) -> bool:
        return self.producer_id != NO_PRODUCER_ID

    def ensure(self) -> bool:
        """Whether there is an id. If not, it is being asked for, and `on_ready` will be called."""
        if not self.is_ready and self._asking is None:
            self._asking = self._cluster.runtime.loop.create_task(self._ask())
        return self.is_ready

    async def _ask(self) -> None:
        failures = 0
        while True:
            try:
                response = await self._ask_once()
                break
            except RetriableError:
                failures += 1
                await asyncio.sleep(self._cluster.retry_backoff.delay_ms(failures) / 1000)
            except KafkaError as error:
                self.failure = error
                break
        if self.failure is None:
            self.producer_id, self.epoch = response.producer_id, response.producer_epoch
        self._asking = None
        self._on_ready()

    async def _ask_once(self) -> InitProducerIdResponse:
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=2**31 - 1)
        response: InitProducerIdResponse = await self._cluster.send_to_any(request)
        if response.error_code:
            raise broker_error(response.error_code, "the producer id")
        return response

    def bump(self, queue: PartitionQueue) -> None:
        """Let a partition go on with the next epoch, once nothing of it is in flight."""
        queue.needs_new_epoch = True
        if self.epoch >= EPOCH_MAX:
            self.producer_id, self.epoch = NO_PRODUCER_ID, NO_PRODUCER_EPOCH
        elif self.is_ready:
            self.epoch += 1

    def adopt(self, queue: PartitionQueue) -> None:
        """Begin the partition's sequences anew under the present epoch. Batches to be sent again are numbered again."""
        assert self.is_ready
        assert not queue.in_flight
        queue.producer_id, queue.producer_epoch, queue.next_sequence = self.producer_id, self.epoch, 0
        queue.needs_new_epoch = False
        for batch in queue.queue:
            if batch.has_sequence:
                batch.set_producer(NO_PRODUCER_ID, NO_PRODUCER_EPOCH, NO_SEQUENCE)

    async def close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)
