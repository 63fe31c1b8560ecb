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
from ottla.records.batch import decode_header, iterate_batches
from ottla.records.record import Record, encode_batch
from ottla.replication.peers import Peers
from ottla.transport import ReceiveBuffer
from simulation.brokers import TICK_MS, address_of
from simulation.process import Process
from simulation.produce_client import NOT_WRITTEN, REQUEST_TIMEOUT_MS, ProduceClient

if TYPE_CHECKING:
    from simulation.simulation import Simulation

_FETCH_VERSION = 12


class ClientHost:
    """The process in which all clients live."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.process = Process("clients", simulation.loop, lambda: None)
        wheel = TimerWheel(simulation.clock, TICK_MS)
        wheel.attach(self.process)
        connect = simulation.network.connector("clients", self.process)
        runtime = Runtime(self.process, simulation.clock, wheel, ReceiveBuffer(1024), connect)
        settings = ConnectionSettings(connect_timeout_ms=1000, request_timeout_ms=REQUEST_TIMEOUT_MS)
        self.peers = Peers(runtime, settings, lambda broker_id: Address(address_of(broker_id), 9092))

    def run(self, coroutine: Any) -> None:
        self.process.call_soon(lambda: self.process.create_task(coroutine))


class Producer:
    """Sends unique values with acks=all, one at a time, each of them once."""

    def __init__(self, host: ClientHost, number: int, partition: TopicPartition) -> None:
        self._simulation = host.simulation
        self._client = ProduceClient(host, partition, channel=str(number))
        self._number = number
        self._partition = partition
        self._chance = random.Random(host.simulation.chance.random())

    async def run(self) -> None:
        sequence = 0
        while not self._simulation.is_ending:
            await asyncio.sleep(self._chance.uniform(0.005, 0.12))
            await self._send(b"%d:%d" % (self._number, sequence))
            sequence += 1

    async def _send(self, value: bytes) -> None:
        batch = encode_batch([Record(0, self._simulation.clock.wall_ms(), None, value)])
        auditor = self._simulation.auditor
        crc = decode_header(batch).crc
        auditor.invoked(self._partition, crc, [value])
        code, offset = await self._client.send(batch)
        if code == ErrorCode.NONE:
            auditor.acknowledged(self._partition, offset, crc)
        elif code in NOT_WRITTEN:
            auditor.refused(self._partition, crc)


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
                    timeout_ms=REQUEST_TIMEOUT_MS,
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
