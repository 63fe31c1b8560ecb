"""The fast path of Produce: one batch for one partition, acknowledged at once. From bytes to bytes, without messages.

Most Produce requests are of this kind, and the smaller they are, the more of their cost is in making and reading a
request and a response as objects. `protocol.single_batch` finds the batch, `protocol.single_element` packs the
response. What lies between is that of `ProduceHandlers`: finding the partition, the append, and how an error is
reported. Left to `ProduceHandlers.handle_produce`, untouched: acks=0, records of a transaction, records that must be
decompressed first, and whatever has to wait, for followers or for the disk.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import UUID

from ottla.clock import Clock
from ottla.errors import KafkaError
from ottla.handlers.context import ClientContext
from ottla.model import ZERO_UUID
from ottla.protocol.messages.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from ottla.protocol.single_batch import SingleBatch
from ottla.protocol.single_element import SingleElementPacker, Template
from ottla.records.batch import says_transactional
from ottla.replication.partition import ACKS_ALL

if TYPE_CHECKING:
    from ottla.handlers.produce import ProduceHandlers

TEMPLATES_MAX = 10_000
_FIELDS = ("throttle_time_ms", "index", "base_offset", "log_append_time_ms", "log_start_offset")


class SingleBatchProduce:
    """For one version of Produce."""

    __slots__ = ("_clock", "_find", "_handlers", "_packer", "_templates", "_topic_ids", "_version")

    def __init__(
        self,
        version: int,
        find: Callable[[memoryview, int], SingleBatch | None],
        handlers: "ProduceHandlers",
        clock: Clock,
    ) -> None:
        self._version = version
        self._find = find
        self._handlers = handlers
        self._clock = clock
        self._packer = SingleElementPacker(ProduceResponse, version, _FIELDS)
        self._topic_ids: dict[bytes, UUID] = {}
        self._templates: dict[str | bytes, Template] = {}

    def handle(self, client: ClientContext, frame: memoryview, position: int) -> bytes | ProduceResponse | None:
        """The body of the response, or the response to a refused append. None: not of this kind, nothing happened."""
        found = self._find(frame, position)
        if found is None:
            return None
        acks, topic, index, records = found
        if (acks != 1 and acks != ACKS_ALL) or says_transactional(records):
            return None
        handlers = self._handlers
        try:
            name, topic_id = (topic, ZERO_UUID) if isinstance(topic, str) else self._named(topic)
            partition = handlers.find_partition(name, topic_id, index, records)
            if (
                partition.log.is_flushed
                or (acks == ACKS_ALL and not partition.is_alone)
                or handlers.must_defer(partition, records)
            ):
                return None
            info = handlers.append(partition, records, acks, self._version, self._clock.wall_ms())
        except KafkaError as error:
            return self._refused(client, name, topic_id, index, len(records), error)
        template = self._templates.get(topic) or self._make_template(topic, name, topic_id)
        return self._packer.pack(template, 0, index, info.first_offset, info.log_append_time_ms, info.log_start_offset)

    def _named(self, topic_id_bytes: bytes) -> tuple[str, UUID]:
        """The topic of an id; without a name where nobody knows it."""
        topic_id = self._topic_ids.get(topic_id_bytes)
        if topic_id is None:
            if len(self._topic_ids) >= TEMPLATES_MAX:
                self._topic_ids.clear()
            topic_id = self._topic_ids[topic_id_bytes] = UUID(bytes=topic_id_bytes)
        return self._handlers.topic_name(topic_id) or "", topic_id

    def _refused(
        self, client: ClientContext, name: str, topic_id: UUID, index: int, size_bytes: int, error: KafkaError
    ) -> ProduceResponse:
        part = PartitionProduceResponse(index=index)
        self._handlers.refuse(part, name, size_bytes, error)
        return self._handlers.with_leaders(_response(name, topic_id, part), self._version, client.listener_name)

    def _make_template(self, topic: str | bytes, name: str, topic_id: UUID) -> Template:
        if len(self._templates) >= TEMPLATES_MAX:
            self._templates.clear()
        response = _response(name, topic_id, PartitionProduceResponse())
        template = self._templates[topic] = self._packer.template(response)
        return template


def _response(name: str, topic_id: UUID, part: PartitionProduceResponse) -> ProduceResponse:
    return ProduceResponse(responses=[TopicProduceResponse(name=name, topic_id=topic_id, partition_responses=[part])])
