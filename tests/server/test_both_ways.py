"""A fast path and the long way are one to a client: the same bytes, the same log, the same numbers, mutated or not."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ottla.handlers.produce import TRAITS, VERSIONS, ProduceHandlers, produce_error
from ottla.handlers.registry import HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from ottla.records.record import Record, encode_batch
from support.replicas import BROKER_ID, Replicas, replicas_in
from support.servers import KafkaPeer, RunningServer, handler_table, running_server

COUNTED = ("requests_total", "errors_total", "requestbytes", "ottla_handler_failures", "ottla_bad_frames")
PARTITIONS = [("t", 0), ("t", 0), ("t", 1), ("t", 9), ("elsewhere", 0), ("__consumer_offsets", 0)]


class Way:
    """A broker's server and its logs; a client that knows nothing of either."""

    def __init__(self, running: RunningServer, replicas: Replicas) -> None:
        self.running = running
        self.replicas = replicas
        self._peer = running.connect()

    async def ask(self, frame: bytes) -> list[bytes]:
        """All that comes back, and whether the connection ends. A heartbeat behind the request tells where to stop."""
        fence = KafkaPeer.request(self._peer, HeartbeatRequest(), 4)
        await self._peer.send(frame + fence)
        received = []
        while True:
            try:
                received.append(await self._peer.receive_frame())
            except Exception:  # noqa: BLE001 - however it ends
                self._peer = self.running.connect()
                return [*received, b"closed"]
            if received[-1][:4] == fence[8:12]:
                return received

    def stored(self) -> list[bytes]:
        found = []
        for partition in self.replicas.manager.partitions():
            read = partition.log.read(0, 1 << 24, end_offset=partition.log.end_position)
            if read.slice is not None:
                found.append(bytes(read.slice.read(0, len(read.slice))))
                read.slice.close()
        return found

    def counted(self) -> list[bytes]:
        lines = b"".join((*self.running.metrics.render(), *self.replicas.metrics.render())).splitlines()
        return sorted(line for line in lines if any(name.encode() in line for name in COUNTED) or b"topic=" in line)


def table_of(replicas: Replicas, *, is_fast: bool) -> HandlerTable:
    table = handler_table({ApiKey.HEARTBEAT: lambda context, request: HeartbeatResponse()})
    handlers = ProduceHandlers(replicas.manager, replicas.clock)
    traits = replace(TRAITS, fast_path_of=handlers.fast_path_of) if is_fast else TRAITS
    table.add(ApiKey.PRODUCE, handlers.handle_produce, *VERSIONS, produce_error, traits)
    return table


@asynccontextmanager
async def way(directory: Path, *, is_fast: bool) -> AsyncIterator[Way]:
    with replicas_in(directory) as replicas:
        replicas.lead(count=2)
        replicas.lead("elsewhere", isr=(BROKER_ID, 2))
        replicas.follow(2, 1, "elsewhere")
        async with running_server(table_of(replicas, is_fast=is_fast)) as running:
            yield Way(running, replicas)


def batch_of(rng: random.Random) -> bytes:
    records = [Record(n, 1_700_000_000_000 + n, None, rng.randbytes(rng.choice([1, 40, 300]))) for n in range(2)]
    kind = rng.random()
    if kind < 0.6:
        return encode_batch(records)
    options = {"producer_id": 5, "producer_epoch": 0, "base_sequence": rng.randrange(6)}
    return encode_batch(records, **options, is_transactional=kind > 0.9)


def request_of(rng: random.Random) -> ProduceRequest:
    topics = []
    for _ in range(1 if rng.random() < 0.9 else 2):
        topic, index = rng.choice(PARTITIONS)
        part = PartitionProduceData(index=index, records=batch_of(rng))
        topics.append(TopicProduceData(name=topic, partition_data=[part]))
    return ProduceRequest(acks=rng.choice([1, 1, 1, -1, 0, 3]), timeout_ms=1, topic_data=topics)


def mutated(rng: random.Random, frame: bytes) -> bytes:
    """Some bytes of the body are others. The size and the header stay."""
    body = bytearray(frame)
    for _ in range(rng.choice([0, 0, 1, 3])):
        body[rng.choice([18, 19, 20, 21, rng.randrange(26, len(body)), rng.randrange(26, 60)])] = rng.choice(
            [0, 1, 2, 0x7F, 0xFF, rng.randrange(256)]
        )
    return bytes(body)


@pytest.mark.parametrize("seed", range(6))
def test_a_produce_request_is_handled_in_one_way(tmp_path: Path, seed: int) -> None:
    async def scenario() -> None:
        rng = random.Random(seed)
        async with way(tmp_path / "a", is_fast=True) as fast, way(tmp_path / "b", is_fast=False) as long:
            writer = fast.running.connect()
            for _ in range(120):
                frame = mutated(rng, writer.request(request_of(rng), rng.randint(3, 12)))
                assert await fast.ask(frame) == await long.ask(frame), frame.hex()
                assert fast.stored() == long.stored()
            assert fast.counted() == long.counted()

    asyncio.run(asyncio.wait_for(scenario(), 60))
