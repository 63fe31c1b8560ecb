"""The shortcut of Produce: one batch for one partition, acknowledged at once. From bytes to bytes, without messages.

Most produce requests are of this kind, and the smaller they are, the more of their cost is in making and reading a
request and a response as objects. What differs from `ProduceHandlers.handle_produce` is only that: the append is the
same, and so is what a refused one is answered. Everything else is left to it, untouched: acks=0, records that must be
opened first, whatever has to wait, for followers or for the disk, what is led elsewhere, and records of a transaction.
"""

from collections.abc import Callable
from struct import Struct

from ottla.clock import Clock
from ottla.errors import KafkaError
from ottla.errors.kafka import InvalidTxnStateError, NotLeaderOrFollowerError
from ottla.model import INTERNAL_TOPICS
from ottla.protocol.codec import encode
from ottla.protocol.messages.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from ottla.protocol.single_batch import SingleBatch, single_batch_finder
from ottla.replication.deferred_append import DeferredAppends
from ottla.replication.partition import ACKS_ALL, Partition
from ottla.replication.replica_manager import ReplicaManager

# The first version whose answers have a log start offset.
FIRST_VERSION = 5
TOPICS_KEPT_MAX = 10_000

Refuse = Callable[[PartitionProduceResponse, str, int, KafkaError], None]


class LoneProduce:
    """For one version of Produce."""

    __slots__ = ("_answers", "_clock", "_deferred", "_find", "_refuse", "_replicas", "_version")

    def __init__(
        self,
        version: int,
        find: Callable[[memoryview, int], SingleBatch | None],
        replicas: ReplicaManager,
        clock: Clock,
        deferred: DeferredAppends,
        refuse: Refuse,
    ) -> None:
        self._version = version
        self._find = find
        self._replicas = replicas
        self._clock = clock
        self._deferred = deferred
        self._refuse = refuse
        self._answers: dict[str, Answer] = {}

    def handle(self, frame: memoryview, position: int) -> bytes | ProduceResponse | None:
        """The answer's body, or the answer of a refused append; None: not of this kind, nothing has happened."""
        found = self._find(frame, position)
        if found is None:
            return None
        acks, topic, index, records = found
        partition = self._replicas.held_partition(topic, index)
        if (
            partition is None
            or topic in INTERNAL_TOPICS
            or not _is_acknowledged_at_once(partition, acks)
            or self._deferred.must_defer(partition, records)
        ):
            return None
        version = self._version
        try:
            info = self._replicas.append(partition, records, acks, version, self._clock.wall_ms())
        except (NotLeaderOrFollowerError, InvalidTxnStateError):
            return None
        except KafkaError as error:
            return self._refused(topic, index, len(records), error)
        pack, before, after = self._answers.get(topic) or self._make_answer(topic)
        return pack(before, index, 0, info.first_offset, info.log_append_time_ms, info.log_start_offset, after)

    def _refused(self, topic: str, index: int, size_bytes: int, error: KafkaError) -> ProduceResponse:
        answer = PartitionProduceResponse(index=index)
        self._refuse(answer, topic, size_bytes, error)
        return ProduceResponse(responses=[TopicProduceResponse(name=topic, partition_responses=[answer])])

    def _make_answer(self, topic: str) -> "Answer":
        if len(self._answers) >= TOPICS_KEPT_MAX:
            self._answers.clear()
        answer = self._answers[topic] = answer_of(topic, self._version)
        return answer


Answer = tuple[Callable[..., bytes], bytes, bytes]
"""What packs an answer for a topic: the bytes before, the fields of the partition, the bytes after."""

_FIELDS = "ihqqq"
_MARKS = (0x7E570001, 0, 0x7E57000000000002, 0x7E57000000000003, 0x7E57000000000004)


def lone_produce(
    version: int, replicas: ReplicaManager, clock: Clock, deferred: DeferredAppends, refuse: Refuse
) -> LoneProduce | None:
    find = single_batch_finder(version)
    if find is None or version < FIRST_VERSION:
        return None
    return LoneProduce(version, find, replicas, clock, deferred, refuse)


def answer_of(topic: str, version: int) -> Answer:
    """By what the response's own writer makes of numbers that are found again: the layout is known there alone."""
    index, code, base_offset, log_append_time_ms, log_start_offset = _MARKS
    answer = PartitionProduceResponse(
        index=index,
        error_code=code,
        base_offset=base_offset,
        log_append_time_ms=log_append_time_ms,
        log_start_offset=log_start_offset,
    )
    response = ProduceResponse(responses=[TopicProduceResponse(name=topic, partition_responses=[answer])])
    before, _, after = encode(response, version).partition(Struct(f">{_FIELDS}").pack(*_MARKS))
    return Struct(f">{len(before)}s{_FIELDS}{len(after)}s").pack, before, after


def _is_acknowledged_at_once(partition: Partition, acks: int) -> bool:
    """Whether an append needs neither followers nor the disk to be acknowledged (see `unacknowledged`)."""
    if partition.log.is_flushed:
        return False
    return acks == 1 or (acks == ACKS_ALL and partition.is_alone)
