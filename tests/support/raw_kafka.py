"""Kafka's protocol spoken by hand over a blocking socket: any message, any version, any bytes; no client in between."""

import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ottla.errors import ErrorCode
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from ottla.protocol.message import Request
from ottla.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

RECEIVE_SECONDS_MAX = 30
CREATE_SECONDS_MAX = 30


class RawKafkaError(Exception):
    """The broker closed the connection, or answered what cannot be an answer."""


class RawKafka:
    """One connection. `ask` sends a request and gives its response."""

    def __init__(self, address: str, timeout: float = RECEIVE_SECONDS_MAX) -> None:
        host, _, port = address.rpartition(":")
        self.sock = socket.create_connection((host, int(port)), timeout=timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._next_correlation_id = 0
        self._asked: list[tuple[int, ApiKey, int]] = []

    def __enter__(self) -> "RawKafka":
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def send(self, message: Request, version: int, client_id: str | None = "raw") -> None:
        self.send_body(ApiKey(message.API_KEY), version, encode(message, version), client_id)

    def send_body(self, api_key: int, version: int, body: bytes, client_id: str | None = "raw") -> None:
        """A request whose body is what the test says, right or wrong."""
        header = RequestHeader(api_key, version, self._next_correlation_id, client_id)
        self._asked.append((self._next_correlation_id, ApiKey(api_key), version))
        self._next_correlation_id += 1
        frame = encode_request_header(header) + body
        self.sock.sendall(struct.pack(">i", len(frame)) + frame)

    def receive(self) -> Any:
        """The response to the oldest request that has none yet."""
        correlation_id, api_key, version = self._asked.pop(0)
        frame = self.receive_frame()
        answered, position = decode_response_header(api_key, version, frame)
        if answered != correlation_id:
            raise RawKafkaError(f"response {answered} where {correlation_id} was due")
        message, end = decode(api_info(api_key).response_class(), version, frame, position)
        if end != len(frame):
            raise RawKafkaError(f"{len(frame) - end} bytes after the response")
        return message

    def ask(self, message: Request, version: int, client_id: str | None = "raw") -> Any:
        self.send(message, version, client_id)
        return self.receive()

    def receive_frame(self) -> bytes:
        (size,) = struct.unpack(">i", self._exactly(4))
        return self._exactly(size)

    def expect_nothing(self) -> None:
        """Forget the oldest request: it will have no response (acks=0)."""
        self._asked.pop(0)

    def is_closed_by_broker(self) -> bool:
        """Waits for the end of the connection; False if data comes instead."""
        try:
            return self.sock.recv(1) == b""
        except ConnectionResetError:
            return True

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            more = self.sock.recv(min(count - len(data), 1 << 20))
            if not more:
                raise RawKafkaError("closed by the broker")
            data += more
        return bytes(data)


def ask(address: str, message: Request, version: int) -> Any:
    """One request on a connection of its own."""
    with RawKafka(address) as client:
        return client.ask(message, version)


def live_broker_ids(client: RawKafka) -> set[int]:
    return {broker.node_id for broker in client.ask(MetadataRequest(topics=[]), 1).brokers}


def topic_metadata(address: str, topic: str, version: int = 12, *, create: bool = False) -> Any:
    """The topic's part of a Metadata response."""
    request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=create)
    return ask(address, request, version).topics[0]


def create_topic(
    address: str, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None, replication_factor: int = 1
) -> None:
    """Create a topic and wait until the broker serves all its partitions."""
    creatable = CreatableTopic(
        name=topic,
        num_partitions=partitions,
        replication_factor=replication_factor,
        configs=[CreatableTopicConfig(name=name, value=value) for name, value in (configs or {}).items()],
    )
    response = ask(address, CreateTopicsRequest(topics=[creatable], timeout_ms=CREATE_SECONDS_MAX * 1000), 5)
    (result,) = response.topics
    assert result.error_code == ErrorCode.NONE, f"{ErrorCode(result.error_code).name}: {result.error_message}"
    await_leaders(address, topic, partitions)


def await_leaders(address: str, topic: str, partitions: int = 1) -> None:
    deadline = time.monotonic() + CREATE_SECONDS_MAX
    while not _has_leaders(topic_metadata(address, topic).partitions, partitions):
        assert time.monotonic() < deadline, f"{topic} has no leaders"
        time.sleep(0.01)


def _has_leaders(partitions: Sequence[Any], count: int) -> bool:
    return len(partitions) == count and all(part.error_code == 0 and part.leader_id >= 0 for part in partitions)
