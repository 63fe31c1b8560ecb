"""Sends batches to whichever broker it believes leads the partition, often wrongly."""

import random
from typing import TYPE_CHECKING

from ottla.errors import ErrorCode, KafkaError
from ottla.model import TopicPartition
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData

if TYPE_CHECKING:
    from simulation.clients import ClientHost

PRODUCE_VERSION = 9
REQUEST_TIMEOUT_MS = 2500
# Clients take these to say that nothing was appended; of a first attempt that must be the truth.
NOT_WRITTEN = frozenset(
    {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
)


class ProduceClient:
    def __init__(self, host: "ClientHost", partition: TopicPartition, *, channel: str) -> None:
        self._host = host
        self._partition = partition
        self._channel = channel
        self._rng = random.Random(host.simulation.chance.random())
        self._leader = 0

    async def send(self, batch: bytes) -> tuple[ErrorCode, int]:
        """One attempt with acks=all: the code and the base offset. A new guess at the leader when it was wrong."""
        data = PartitionProduceData(index=self._partition.partition, records=batch)
        request = ProduceRequest(
            acks=-1,
            timeout_ms=1500,
            topic_data=[TopicProduceData(name=self._partition.topic, partition_data=[data])],
        )
        asked = self._leader
        try:
            response = await self._host.peers.request(
                asked, request, channel=self._channel, timeout_ms=REQUEST_TIMEOUT_MS, version_max=PRODUCE_VERSION
            )
        except KafkaError:
            self._guess(asked)
            return ErrorCode.NETWORK_EXCEPTION, -1
        answer = response.responses[0].partition_responses[0]
        if answer.error_code in (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION):
            self._guess(asked)
        return ErrorCode(answer.error_code), answer.base_offset

    def _guess(self, asked: int) -> None:
        if self._leader == asked:  # Several batches may fail together: that is one reason to look elsewhere.
            self._leader = self._rng.choice(sorted(self._host.simulation.brokers))
