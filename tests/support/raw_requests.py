"""Requests of the data path built by hand, for one partition each, and their answers unpacked."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from ottla.errors import error_for_code
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from ottla.protocol.messages.init_producer_id import InitProducerIdRequest
from ottla.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from ottla.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from ottla.records.batch import BatchHeader, check_crc, iterate_batches
from ottla.records.record import Record, decode_batch, encode_batch
from support.raw_kafka import RawKafka

NOW_MS = 1_700_000_000_000
ACKS_ALL = -1
LATEST, EARLIEST, MAX_TIMESTAMP = -1, -2, -3
PRODUCE_VERSION, FETCH_VERSION = 9, 12
BIG = 50_000_000


def batch(values: Sequence[bytes | None] | int = 1, **options: Any) -> bytes:
    """A batch as a producer sends it; `keys` and `timestamps` one per value; the rest as `encode_batch` takes it."""
    if isinstance(values, int):
        values = [b"value %d" % number for number in range(values)]
    keys = options.pop("keys", [b"key"] * len(values))
    timestamps = options.pop("timestamps", [NOW_MS + number for number in range(len(values))])
    records = [Record(n, timestamps[n], keys[n], value) for n, value in enumerate(values)]
    return encode_batch(records, **options)


def produce_request(
    topic: str, records: bytes | None, *, acks: int = ACKS_ALL, partition: int = 0, timeout_ms: int = 10_000
) -> ProduceRequest:
    data = PartitionProduceData(index=partition, records=records)
    return ProduceRequest(
        acks=acks, timeout_ms=timeout_ms, topic_data=[TopicProduceData(name=topic, partition_data=[data])]
    )


def produce(raw: RawKafka, topic: str, records: bytes | None, *, version: int = PRODUCE_VERSION, **options: Any) -> Any:
    """The partition's part of the response."""
    return raw.ask(produce_request(topic, records, **options), version).responses[0].partition_responses[0]


def fetch_partition(offset: int, partition: int = 0, max_bytes: int = BIG, **fields: Any) -> FetchPartition:
    return FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes, **fields)


def fetch_request(
    topic: str | UUID, partitions: Sequence[FetchPartition], *, wait_ms: int = 0, min_bytes: int = 1, **fields: Any
) -> FetchRequest:
    by = {"topic_id": topic} if isinstance(topic, UUID) else {"topic": topic}
    topics = [FetchTopic(partitions=list(partitions), **by)] if partitions else []
    return FetchRequest(max_wait_ms=wait_ms, min_bytes=min_bytes, topics=topics, **{"max_bytes": BIG} | fields)


def fetch(
    raw: RawKafka, topic: str | UUID, offset: int, *, version: int = FETCH_VERSION, max_bytes: int = BIG, **fields: Any
) -> Any:
    """The partition's part of the response, from partition 0."""
    epochs = {name: fields.pop(name) for name in ("current_leader_epoch", "last_fetched_epoch") if name in fields}
    part = fetch_partition(offset, max_bytes=max_bytes, **epochs)
    return raw.ask(fetch_request(topic, [part], **fields), version).responses[0].partitions[0]


def session_request(
    topic: str, partitions: Sequence[FetchPartition], session: tuple[int, int], forgotten: Sequence[int] = ()
) -> FetchRequest:
    """`session`: its id and epoch."""
    request = fetch_request(topic, partitions, session_id=session[0], session_epoch=session[1])
    request.forgotten_topics_data = [ForgottenTopic(topic=topic, partitions=list(forgotten))] if forgotten else []
    return request


def headers_in(records: Any) -> list[BatchHeader]:
    """The headers of the whole batches; their CRCs are checked on the way."""
    view = memoryview(records)
    found = list(iterate_batches(view, partial_tail=True))
    for position, header in found:
        check_crc(view, position, header)
    return [header for _, header in found]


def records_in(records: Any) -> list[Record]:
    view = memoryview(records)
    return [
        record for position, _ in iterate_batches(view, partial_tail=True) for record in decode_batch(view, position)
    ]


def list_offsets(
    raw: RawKafka, topic: str, timestamp: int, *, version: int = 7, partition: int = 0, **fields: Any
) -> Any:
    part = ListOffsetsPartition(partition_index=partition, timestamp=timestamp, **fields)
    request = ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(name=topic, partitions=[part])])
    return raw.ask(request, version).topics[0].partitions[0]


def end_of_epoch(raw: RawKafka, topic: str, epoch: int, *, current_leader_epoch: int = -1, partition: int = 0) -> Any:
    part = OffsetForLeaderPartition(partition=partition, current_leader_epoch=current_leader_epoch, leader_epoch=epoch)
    request = OffsetForLeaderEpochRequest(replica_id=-1, topics=[OffsetForLeaderTopic(topic=topic, partitions=[part])])
    return raw.ask(request, 4).topics[0].partitions[0]


def new_producer_id(raw: RawKafka) -> int:
    request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
    response = raw.ask(request, 4)
    while error_for_code(response.error_code).retriable:  # A broker that has just started has no ids at hand.
        response = raw.ask(request, 4)
    assert (response.error_code, response.producer_epoch) == (0, 0)
    producer_id: int = response.producer_id
    return producer_id
