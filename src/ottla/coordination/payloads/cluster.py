"""What the cluster has one of: its id, its controller, the block of producer ids handed out last, its features."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ottla.coordination.payloads.document import decode_integer, decode_json, encode_json


def encode_cluster_id(cluster_id: str) -> bytes:
    return encode_json({"version": "1", "id": cluster_id})


def decode_cluster_id(path: str, data: bytes) -> str:
    return decode_json(path, data).text("id")


class ControllerInfo(NamedTuple):
    """`/controller`. Versions: 1; 2 adds the epoch of a KRaft controller, -1 for ever here."""

    broker_id: int
    timestamp_ms: int

    def encode(self) -> bytes:
        return encode_json(
            {
                "version": 2,
                "brokerid": self.broker_id,
                "timestamp": str(self.timestamp_ms),
                "kraftControllerEpoch": -1,
            }
        )

    @classmethod
    def decode(cls, path: str, data: bytes) -> "ControllerInfo":
        document = decode_json(path, data)
        return cls(document.integer("brokerid"), document.long("timestamp", 0))


def encode_controller_epoch(epoch: int) -> bytes:
    return str(epoch).encode("ascii")


def decode_controller_epoch(path: str, data: bytes) -> int:
    return decode_integer(path, data)


class ProducerIdBlock(NamedTuple):
    """`/latest_producer_id_block`: the ids from `first` to `last`, both inclusive, belong to `broker_id` for ever."""

    broker_id: int
    first: int
    last: int

    def encode(self) -> bytes:
        return encode_json(
            {
                "version": 1,
                "broker": self.broker_id,
                "block_start": str(self.first),
                "block_end": str(self.last),
            }
        )

    @classmethod
    def decode(cls, path: str, data: bytes) -> "ProducerIdBlock":
        document = decode_json(path, data)
        return cls(document.integer("broker"), document.long("block_start"), document.long("block_end"))


class FinalizedFeatures(NamedTuple):
    """`/feature` (KIP-584). Status 1: features are finalized by the controller; 0: they are not used."""

    features: Mapping[str, Any]
    status: int = 1

    def encode(self) -> bytes:
        return encode_json({"features": dict(self.features), "version": 2, "status": self.status})

    @classmethod
    def decode(cls, path: str, data: bytes) -> "FinalizedFeatures":
        document = decode_json(path, data)
        return cls(document.mapping("features", {}), document.integer("status", 0))
