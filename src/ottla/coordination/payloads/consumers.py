"""`/consumers/G/...`: the registries of the old consumers, which kept members, owners and offsets in ZooKeeper."""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.coordination.payloads.document import INT64, decode_integer, decode_json, encode_json


class ConsumerRegistration(NamedTuple):
    """`/consumers/G/ids/C`: how many streams of which topics; `pattern` is static, white_list or black_list."""

    subscription: Mapping[str, int]
    pattern: str
    timestamp_ms: int

    def encode(self) -> bytes:
        return encode_json(
            {
                "version": 1,
                "subscription": dict(self.subscription),
                "pattern": self.pattern,
                "timestamp": str(self.timestamp_ms),
            }
        )

    @classmethod
    def decode(cls, path: str, data: bytes) -> "ConsumerRegistration":
        document = decode_json(path, data)
        streams = document.mapping("subscription")
        inner = type(document)(path, streams)
        return cls(
            {topic: inner.integer(topic) for topic in streams},
            document.text("pattern", "static"),
            document.long("timestamp", 0),
        )


def encode_offset(offset: int) -> bytes:
    return str(offset).encode("ascii")


def decode_offset(path: str, data: bytes) -> int:
    return decode_integer(path, data, INT64)
