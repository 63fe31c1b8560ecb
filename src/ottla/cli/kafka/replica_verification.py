"""`kafka-replica-verification`: are all replicas of a partition the same? Reads each of them and compares checksums.

Every round fetches from all replicas of a partition at the same offset, as the debugging reader (replica id -2) whom
followers respond too, and compares the batches up to the lowest high watermark. The lag is how far the slowest replica
is behind the most advanced one. Runs until it is stopped.
"""

import itertools
import re
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ottla.cli.interruption import interruptible
from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.options import ToolOptions
from ottla.cli.one_request import ask
from ottla.clients.admin.types import OffsetSpec
from ottla.errors.tree import OperatorError
from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, PartitionData
from ottla.records.batch import BatchHeader, iterate_batches

_DEBUGGING_READER = -2
_FETCH_VERSION = 4


class Replica(NamedTuple):
    broker_id: int
    address: str


class ReplicaRead(NamedTuple):
    high_watermark: int
    batches: list[BatchHeader]


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-replica-verification", "Are all replicas of a partition the same?")
    options.value("--broker-list", "--bootstrap-server", required=True)
    options.value("--topics-include", "--topic-white-list", default=".*", help="a regular expression")
    options.value("--fetch-size", type=int, default=1 << 20)
    options.value("--max-wait-ms", type=int, default=1000)
    options.value("--report-interval-ms", type=int, default=30_000)
    options.value("--time", type=int, default=-1, help="where to begin: -1 the end, -2 the beginning, or a time")
    given = options.parse(arguments)
    with interruptible():
        verification = Verification(given.broker_list, given.topics_include, given.time, given.fetch_size)
        print(f"{_now()}: verification process is started", flush=True)
        for _ in itertools.count():
            verification.round()
            verification.report()
            time.sleep(given.report_interval_ms / 1000)
    return 0


class Verification:
    """The offset that each partition has been compared up to, and the lags that the last round found."""

    def __init__(self, servers: str, topics: str, start: int, fetch_size: int) -> None:
        self._fetch_size = fetch_size
        self._replicas: dict[TopicPartition, list[Replica]] = {}
        self._lags: dict[TopicPartition, int] = {}
        pattern = re.compile(topics.replace(",", "|"))
        with open_admin(servers) as admin:
            addresses = {one.node_id: f"{one.host}:{one.port}" for one in admin.describe_cluster().brokers}
            names = [name for name in admin.list_topics(include_internal=True) if pattern.fullmatch(name)]
            if not names:
                raise OperatorError(f"no topic is called {topics}")
            for name, described in admin.describe_topics(names).results.items():
                for found in described.partitions:
                    live = [Replica(one, addresses[one]) for one in found.replicas if one in addresses]
                    self._replicas[TopicPartition(name, found.partition)] = live
            found_offsets = admin.list_offsets(dict.fromkeys(self._replicas, start)).results
            ends = admin.list_offsets(dict.fromkeys(self._replicas, OffsetSpec.LATEST)).results
        self.offsets = {
            one: found.offset if found.offset >= 0 else ends[one].offset for one, found in found_offsets.items()
        }

    def round(self) -> None:
        """One look at every replica of every partition."""
        for partition in self.offsets:
            reads = {replica: self._fetch(replica, partition) for replica in self._replicas[partition]}
            for problem in self._compare(partition, reads):
                print(f"{_now()}: {problem}", flush=True)

    def report(self) -> None:
        partition = max(self._lags, key=lambda one: self._lags[one])
        print(
            f"{_now()}: max lag is {self._lags[partition]} for partition {partition} at offset "
            f"{self.offsets[partition]} among {len(self.offsets)} partitions",
            flush=True,
        )

    def _fetch(self, replica: Replica, partition: TopicPartition) -> ReplicaRead:
        request = FetchRequest(
            replica_id=_DEBUGGING_READER,
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=self._fetch_size,
            topics=[
                FetchTopic(
                    topic=partition.topic,
                    partitions=[
                        FetchPartition(
                            partition=partition.partition,
                            fetch_offset=self.offsets[partition],
                            partition_max_bytes=self._fetch_size,
                        )
                    ],
                )
            ],
        )
        data: PartitionData = ask(replica.address, request, _FETCH_VERSION).responses[0].partitions[0]
        assert data.records is None or isinstance(data.records, bytes | memoryview), "it came over a socket"
        batches = iterate_batches(data.records or b"", partial_tail=True)
        return ReplicaRead(data.high_watermark, [header for _position, header in batches])

    def _compare(self, partition: TopicPartition, reads: dict[Replica, ReplicaRead]) -> Iterator[str]:
        """Problems found; the offset moves to the end of what all replicas agree to have."""
        most = max(read.high_watermark for read in reads.values())
        least = min(read.high_watermark for read in reads.values())
        self._lags[partition] = most - least
        first_replica, first = next(iter(reads.items()))
        for number, header in enumerate(first.batches):
            others = {replica: read.batches[number : number + 1] for replica, read in reads.items()}
            if header.next_offset > least or not all(others.values()):
                return
            for replica, (other,) in others.items():
                if (other.base_offset, other.crc) != (header.base_offset, header.crc):
                    yield (
                        f"partition {partition}: replica {first_replica.broker_id}'s offset {header.base_offset} has "
                        f"checksum {header.crc}; replica {replica.broker_id}'s offset {other.base_offset} has "
                        f"checksum {other.crc}"
                    )
            self.offsets[partition] = header.next_offset


def _now() -> str:
    moment = datetime.now()
    return moment.strftime("%Y-%m-%d %H:%M:%S") + f",{moment.microsecond // 1000:03d}"
