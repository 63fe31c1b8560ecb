"""A broker of one partition whose log and whose faults a test writes down, for what reads ranges.

It runs our own Server in a thread, with handlers for Metadata, Fetch and ListOffsets. The log is a list of record
batches with whatever offsets the test gave them: gaps, control batches, old formats. Each Fetch first takes the next
entry of `faults`: an error code to answer with, or None.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from ottla.errors import ErrorCode
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from ottla.protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from ottla.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from ottla.records.batch import decode_header
from support.handlers_in_thread import HandlersInThread

TOPIC = "scripted"


class ScriptedLog(HandlersInThread):
    """Usable as a context manager; `address` is where clients bootstrap from."""

    def __init__(self, batches=(), aborted=()) -> None:
        super().__init__()
        self.batches: list[bytes] = list(batches)
        self.aborted = list(aborted)
        self.faults: deque[ErrorCode | None] = deque()
        self.first_offset = 0
        self.high_watermark = 0
        self.fetched_from: list[int] = []
        self.isolation_levels: set[int] = set()
        self.metadata_requests = 0
        self.cuts_batches = False
        self.lost_bytes = 0

    def handlers(self) -> dict[ApiKey, Callable[..., Any]]:
        return {
            ApiKey.METADATA: self._metadata,
            ApiKey.FETCH: self._fetch,
            ApiKey.LIST_OFFSETS: self._list_offsets,
        }

    def _metadata(self, _context, request) -> MetadataResponse:
        self.metadata_requests += 1
        partition = MetadataResponsePartition(partition_index=0, leader_id=1, leader_epoch=0, replica_nodes=[1])
        topics = [MetadataResponseTopic(name=topic.name, partitions=[partition]) for topic in request.topics or ()]
        brokers = [MetadataResponseBroker(node_id=1, host="127.0.0.1", port=self._port)]
        return MetadataResponse(brokers=brokers, controller_id=1, cluster_id="scripted", topics=topics)

    def _list_offsets(self, _context, request) -> ListOffsetsResponse:
        answer = ListOffsetsPartitionResponse(partition_index=0, offset=self.first_offset)
        return ListOffsetsResponse(topics=[ListOffsetsTopicResponse(name=TOPIC, partitions=[answer])])

    def _fetch(self, _context, request) -> FetchResponse:
        (topic,) = request.topics
        (wanted,) = topic.partitions
        self.fetched_from.append(wanted.fetch_offset)
        self.isolation_levels.add(request.isolation_level)
        fault = self.faults.popleft() if self.faults else None
        if fault is None and wanted.fetch_offset < self.first_offset:
            fault = ErrorCode.OFFSET_OUT_OF_RANGE
        records = b"" if fault else self._records(wanted.fetch_offset, wanted.partition_max_bytes)
        data = PartitionData(
            partition_index=0,
            error_code=fault or 0,
            high_watermark=self.high_watermark,
            last_stable_offset=self.high_watermark,
            records=records,
            aborted_transactions=self.aborted,
        )
        return FetchResponse(responses=[FetchableTopicResponse(topic=TOPIC, partitions=[data])])

    def _records(self, offset: int, size_max: int) -> bytes:
        """From the batch that holds the offset; the first one whole, unless the test has old habits in mind."""
        left = [batch for batch in self.batches if _last_offset(batch) >= offset]
        size = size_max if self.cuts_batches or not left else max(size_max, len(left[0]))
        data = b"".join(left)
        return data[: min(size, len(data) - self.lost_bytes)]


def _last_offset(batch: bytes) -> int:
    if batch[16] < 2:  # a message of an old format: its offset comes first
        return int.from_bytes(batch[:8], "big")
    return decode_header(batch).last_offset
