"""Producers and consumers of the simulated cluster. They go to whichever broker they believe leads, often wrongly."""

import asyncio
import random
from typing import TYPE_CHECKING, Any

from ottla.clients.addresses import Address
from ottla.clients.connection import ConnectionSettings
from ottla.clients.runtime import Runtime
from ottla.clock import TimerWheel
from ottla.errors import ErrorCode, KafkaError
from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from ottla.records.batch import decode_header, iterate_batches
from ottla.records.record import Record, encode_batch
from ottla.replication.peers import Peers
from ottla.transport import ReceiveBuffer
from simulation.brokers import TICK_MS, address_of
from simulation.process import Process

if TYPE_CHECKING:
    from simulation.simulation import Simulation

_PRODUCE_VERSION, _FETCH_VERSION = 9, 12
_REQUEST_TIMEOUT_MS = 2500
# Errors that prove that nothing was appended, when they answer the first attempt.
_NOT_APPENDED = frozenset({ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION})


class ClientHost:
    """The process in which all clients live."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.process = Process("clients", simulation.loop, lambda: None)
        wheel = TimerWheel(simulation.clock, TICK_MS)
        wheel.attach(self.process)
        connect = simulation.network.connector("clients", self.process)
        runtime = Runtime(self.process, simulation.clock, wheel, ReceiveBuffer(1024), connect)
        settings = ConnectionSettings(connect_timeout_ms=1000, request_timeout_ms=_REQUEST_TIMEOUT_MS)
        self.peers = Peers(runtime, settings, lambda broker_id: Address(address_of(broker_id), 9092))

    def run(self, coroutine: Any) -> None:
        self.process.call_soon(lambda: self.process.create_task(coroutine))


class Producer:
    """Sends unique values with acks=all, one at a time. An idempotent one repeats each until it is acknowledged."""

    def __init__(self, host: ClientHost, number: int, partition: TopicPartition, *, is_idempotent: bool) -> None:
        self._host = host
        self._simulation = host.simulation
        self._number = number
        self._partition = partition
        self._is_idempotent = is_idempotent
        self._chance = random.Random(host.simulation.chance.random())
        self._leader = 0

    async def run(self) -> None:
        sequence = 0
        while not self._simulation.is_ending:
            await asyncio.sleep(self._chance.uniform(0.005, 0.12))
            batch = self._batch(sequence)
            await self._send(batch)
            sequence += 1

    def _batch(self, sequence: int) -> bytes:
        value = b"%d:%d" % (self._number, sequence)
        records = [Record(0, self._simulation.clock.wall_ms(), None, value)]
        if self._is_idempotent:
            return encode_batch(records, producer_id=1000 + self._number, producer_epoch=0, base_sequence=sequence)
        return encode_batch(records)

    async def _send(self, batch: bytes) -> None:
        auditor = self._simulation.auditor
        crc = decode_header(batch).crc
        auditor.invoked(self._partition, crc, is_idempotent=self._is_idempotent)
        is_first = True
        while True:
            code, offset = await self._attempt(batch)
            if code == ErrorCode.NONE:
                auditor.acknowledged(self._partition, offset, crc)
                return
            if is_first and code in _NOT_APPENDED:
                auditor.refused(self._partition, crc)
                return_now = not self._is_idempotent
            else:
                return_now = not self._is_idempotent
            if return_now:
                return
            auditor.retried(self._partition, crc)
            is_first = False
            if self._simulation.is_over:
                return
            await asyncio.sleep(self._chance.uniform(0.02, 0.2))

    async def _attempt(self, batch: bytes) -> tuple[ErrorCode, int]:
        data = PartitionProduceData(index=self._partition.partition, records=batch)
        request = ProduceRequest(
            acks=-1,
            timeout_ms=1500,
            topic_data=[TopicProduceData(name=self._partition.topic, partition_data=[data])],
        )
        try:
            response = await self._host.peers.request(
                self._leader,
                request,
                channel=str(self._number),
                timeout_ms=_REQUEST_TIMEOUT_MS,
                version_max=_PRODUCE_VERSION,
            )
        except KafkaError:
            self._guess()
            return ErrorCode.NETWORK_EXCEPTION, -1
        answer = response.responses[0].partition_responses[0]
        if answer.error_code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION):
            self._guess()
        return ErrorCode(answer.error_code), answer.base_offset

    def _guess(self) -> None:
        self._leader = self._chance.choice(sorted(self._simulation.brokers))


class Consumer:
    """Reads a partition from its beginning, from the leader or from any replica, and tells the auditor what it saw."""

    def __init__(self, host: ClientHost, number: int, partition: TopicPartition) -> None:
        self._host = host
        self._simulation = host.simulation
        self._channel = f"consumer{number}"
        self._partition = partition
        self._chance = random.Random(host.simulation.chance.random())
        self._position = 0
        self._broker = 0

    async def run(self) -> None:
        while not self._simulation.is_over:
            try:
                response = await self._host.peers.request(
                    self._broker,
                    self._request(),
                    channel=self._channel,
                    timeout_ms=_REQUEST_TIMEOUT_MS,
                    version_max=_FETCH_VERSION,
                )
            except KafkaError:
                self._elsewhere()
                await asyncio.sleep(0.1)
                continue
            self._take(response)
            await asyncio.sleep(self._chance.uniform(0.01, 0.1))

    def _request(self) -> FetchRequest:
        part = FetchPartition(
            partition=self._partition.partition, fetch_offset=self._position, partition_max_bytes=1 << 16
        )
        return FetchRequest(
            max_wait_ms=200,
            min_bytes=1,
            max_bytes=1 << 20,
            topics=[FetchTopic(topic=self._partition.topic, partitions=[part])],
        )

    def _take(self, response: Any) -> None:
        answers = [answer for topic in response.responses for answer in topic.partitions]
        if not answers or answers[0].error_code:
            self._elsewhere()
            return
        records = bytes(answers[0].records)
        for _, header in iterate_batches(records, partial_tail=True):
            if header.next_offset > self._position:
                self._simulation.auditor.consumed(self._partition, header)
                self._position = header.next_offset
        if self._chance.random() < 0.05:
            self._elsewhere()

    def _elsewhere(self) -> None:
        self._broker = self._chance.choice(sorted(self._simulation.brokers))
