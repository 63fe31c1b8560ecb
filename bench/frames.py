"""Requests as they travel, built once before a measurement. Versions that Kafka 4.3 and Ottla both serve.

0  4  SIZE             of what follows
4  2  API_KEY
6  2  API_VERSION
8  4  CORRELATION_ID   always 7: one connection's answers come in order
      CLIENT_ID, tags, body
"""

import struct
import time
from typing import Any

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from ottla.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, ProduceResponse, TopicProduceData
from ottla.records.record import Record, encode_batch

API_VERSIONS = (ApiKey.API_VERSIONS, 3, ApiVersionsResponse)
METADATA = (ApiKey.METADATA, 9, MetadataResponse)
PRODUCE = (ApiKey.PRODUCE, 9, ProduceResponse)
FETCH = (ApiKey.FETCH, 12, FetchResponse)
Api = tuple[ApiKey, int, type[Any]]

SIZE = struct.Struct(">i")
CORRELATION_ID = 7


def frame(api: Api, body: Any) -> bytes:
    key, version, _response = api
    message = encode_request_header(RequestHeader(key, version, CORRELATION_ID, "bench")) + encode(body, version)
    return SIZE.pack(len(message)) + message


def answer(api: Api, message: bytes) -> Any:
    """The response in a frame without its size."""
    key, version, response_class = api
    _correlation_id, position = decode_response_header(key, version, message)
    return decode(response_class, version, message, position)[0]


def api_versions_request() -> bytes:
    return frame(API_VERSIONS, ApiVersionsRequest(client_software_name="bench", client_software_version="1"))


def metadata_request(topic: str) -> bytes:
    names = [MetadataRequestTopic(name=topic)]
    return frame(METADATA, MetadataRequest(topics=names, allow_auto_topic_creation=True))


def batch(value_bytes: int, records: int) -> bytes:
    now_ms = int(time.time() * 1000)
    return encode_batch([Record(offset, now_ms, None, bytes(value_bytes)) for offset in range(records)])


def produce_request(topic: str, records: bytes, partition: int = 0, acks: int = 1) -> bytes:
    data = TopicProduceData(name=topic, partition_data=[PartitionProduceData(index=partition, records=records)])
    return frame(PRODUCE, ProduceRequest(acks=acks, timeout_ms=30_000, topic_data=[data]))


def fetch_request(
    topic: str,
    *,
    partition: int = 0,
    offset: int = 0,
    partition_max_bytes: int = 1 << 20,
    max_wait_ms: int = 500,
    session_id: int = 0,
    session_epoch: int = -1,
) -> bytes:
    """A fetch of one partition; within a session (epoch above 0) what it has named before need not be named."""
    part = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=partition_max_bytes)
    topics = [] if session_epoch > 0 else [FetchTopic(topic=topic, partitions=[part])]
    return frame(
        FETCH,
        FetchRequest(
            max_wait_ms=max_wait_ms,
            min_bytes=1,
            max_bytes=1 << 30,
            session_id=session_id,
            session_epoch=session_epoch,
            topics=topics,
        ),
    )
