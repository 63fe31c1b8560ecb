"""An idempotent producer that believes its brokers as librdkafka does: several batches in flight, and grouped anew.

What it makes of an error:

    NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS ...   Not written. The records go into other batches.
    no answer, REQUEST_TIMED_OUT, ..._AFTER_APPEND    Perhaps written. The very same batch is sent again, so that the
                                                      broker knows it.
    OUT_OF_ORDER_SEQUENCE_NUMBER                      Behind a batch that failed: not written. Of the first batch: the
                                                      producer and the broker no longer agree, so the producer begins a
                                                      new epoch and sends all that is left again.

So a broker that says "not written" of what is in its log makes this producer write records twice.
"""

import asyncio
import random
from typing import TYPE_CHECKING

from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.records.batch import decode_header
from ottla.records.record import Record, encode_batch
from simulation.produce_client import NOT_WRITTEN, ProduceClient

if TYPE_CHECKING:
    from simulation.clients import ClientHost

IN_FLIGHT_MAX = 4
BATCH_RECORDS_MAX = 3
QUEUED_MAX = 24


class Batch:
    """Numbers of records that go together. `data` once they have been sent and may have been written like this."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self.data: bytes | None = None


class IdempotentProducer:
    def __init__(self, host: "ClientHost", number: int, partition: TopicPartition) -> None:
        self._simulation = host.simulation
        self._client = ProduceClient(host, partition, channel=str(number))
        self._number = number
        self._partition = partition
        self._rng = random.Random(host.simulation.chance.random())
        self._epoch = 0
        self._epoch_start = 0
        """The first record of this producer epoch: its sequence is 0."""
        self._next_number = 0
        self._unwritten: list[int] = []
        self._uncertain: list[Batch] = []

    async def run(self) -> None:
        while not self._simulation.is_over:
            await asyncio.sleep(self._rng.uniform(0.005, 0.12))
            self._make_records()
            batches = self._next_batches()
            if batches:
                self._take(batches, await self._send_all(batches))
            elif self._simulation.is_ending:
                return

    def _make_records(self) -> None:
        queued = len(self._unwritten) + sum(len(batch.numbers) for batch in self._uncertain)
        if not self._simulation.is_ending and queued < QUEUED_MAX:
            count = self._rng.randint(1, 4)
            self._unwritten += range(self._next_number, self._next_number + count)
            self._next_number += count

    def _next_batches(self) -> list[Batch]:
        """In the order of their records: what is uncertain as it was, the rest grouped at random."""
        batches = list(self._uncertain)
        unwritten = sorted(self._unwritten)
        while unwritten:
            count = self._rng.randint(1, BATCH_RECORDS_MAX)
            run = [unwritten[0]]
            while len(run) < count and len(run) < len(unwritten) and unwritten[len(run)] == run[-1] + 1:
                run.append(unwritten[len(run)])
            batches.append(Batch(run))
            unwritten = unwritten[len(run) :]
        return sorted(batches, key=lambda batch: batch.numbers)[:IN_FLIGHT_MAX]

    async def _send_all(self, batches: list[Batch]) -> list[tuple[ErrorCode, int]]:
        """One after the other on one connection, without waiting; then all answers, before anything is sent again."""
        sends = []
        for batch in batches:
            if batch.data is None:
                batch.data = self._encode(batch.numbers)
            crc = decode_header(batch.data).crc
            values = [self._value(number) for number in batch.numbers]
            self._simulation.auditor.invoked(self._partition, crc, values)
            sends.append(self._client.send(batch.data))
        return await asyncio.gather(*sends)

    def _take(self, batches: list[Batch], outcomes: list[tuple[ErrorCode, int]]) -> None:
        has_failed = False
        for batch, (code, offset) in zip(batches, outcomes, strict=True):
            if code == ErrorCode.NONE:
                self._written(batch, offset)
            elif code in NOT_WRITTEN or (code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER and has_failed):
                self._not_written(batch)
            elif code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER:
                self._begin_epoch()
                return
            elif batch not in self._uncertain:
                self._uncertain.append(batch)
                self._unwritten = [number for number in self._unwritten if number not in batch.numbers]
            has_failed = has_failed or code != ErrorCode.NONE

    def _written(self, batch: Batch, offset: int) -> None:
        """What was uncertain before it was written too: sequences leave no gap."""
        assert batch.data is not None
        self._simulation.auditor.acknowledged(self._partition, offset, decode_header(batch.data).crc)
        self._uncertain = [other for other in self._uncertain if other.numbers > batch.numbers]
        self._unwritten = [number for number in self._unwritten if number > batch.numbers[-1]]

    def _not_written(self, batch: Batch) -> None:
        """By this attempt: an earlier one whose outcome is not known keeps the batch as it is."""
        if batch not in self._uncertain:
            batch.data = None

    def _begin_epoch(self) -> None:
        left = sorted({*self._unwritten, *(number for batch in self._uncertain for number in batch.numbers)})
        self._uncertain = []
        self._unwritten = left
        self._epoch += 1
        self._epoch_start = left[0]

    def _encode(self, numbers: list[int]) -> bytes:
        now_ms = self._simulation.clock.wall_ms()
        records = [Record(index, now_ms, None, self._value(number)) for index, number in enumerate(numbers)]
        return encode_batch(
            records,
            producer_id=1000 + self._number,
            producer_epoch=self._epoch,
            base_sequence=numbers[0] - self._epoch_start,
        )

    def _value(self, number: int) -> bytes:
        return b"%d:%d" % (self._number, number)
