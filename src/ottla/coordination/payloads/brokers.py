"""`/brokers/ids/N`: where a broker can be reached, and what it is.

`may_lack_records` is ours: the broker may have lost what it had (a power cut, a new disk) and no controller has
taken it out of the ISRs yet. It is left out when it is false, and by Kafka.

Versions: 1 host and port; 2 endpoints; 3 rack; 4 names of listeners apart from their security protocols; 5 features.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ottla.coordination.payloads.document import Document, decode_integer, decode_json, encode_json

_ENDPOINT = re.compile(r"(?P<listener>[^:/]+)://(?P<host>\[[0-9a-fA-F:.%]+\]|[^:\[\]]*):(?P<port>-?[0-9]+)")
_PORT_DIGITS_MAX = 5
_BROKER_IDS = range(1 << 31)


class Endpoint(NamedTuple):
    listener: str
    host: str
    port: int
    security_protocol: str = "PLAINTEXT"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.listener}://{host}:{self.port}"


class BrokerInfo(NamedTuple):
    endpoints: tuple[Endpoint, ...]
    timestamp_ms: int
    rack: str | None = None
    jmx_port: int = -1
    features: Mapping[str, Any] = {}
    may_lack_records: bool = False

    def encode(self) -> bytes:
        plaintext = next((e for e in self.endpoints if e.security_protocol == "PLAINTEXT"), None)
        fields: dict[str, Any] = {
            "features": dict(self.features),
            "listener_security_protocol_map": {e.listener: e.security_protocol for e in self.endpoints},
            "endpoints": [str(e) for e in self.endpoints],
        }
        if self.rack is not None:
            fields["rack"] = self.rack
        fields |= {
            "jmx_port": self.jmx_port,
            "port": plaintext.port if plaintext else -1,
            "host": plaintext.host if plaintext else None,
            "version": 5,
            "timestamp": str(self.timestamp_ms),
        }
        if self.may_lack_records:
            fields["may_lack_records"] = True
        return encode_json(fields)

    @classmethod
    def decode(cls, path: str, data: bytes) -> "BrokerInfo":
        document = decode_json(path, data)
        return cls(
            endpoints=_endpoints(document),
            timestamp_ms=document.long("timestamp", 0),
            rack=document.optional_text("rack"),
            jmx_port=document.integer("jmx_port", -1),
            features=document.mapping("features", {}),
            may_lack_records=document.value("may_lack_records", False) is True,
        )


def _endpoints(document: Document) -> tuple[Endpoint, ...]:
    if "endpoints" not in document:
        return (Endpoint("PLAINTEXT", document.text("host"), document.integer("port")),)
    protocols = document.texts("listener_security_protocol_map")
    return tuple(_endpoint(document, text, protocols) for text in document.array("endpoints"))


def _endpoint(document: Document, text: object, protocols: Mapping[str, str]) -> Endpoint:
    found = _ENDPOINT.fullmatch(text) if isinstance(text, str) else None
    if found is None or len(found["port"]) > _PORT_DIGITS_MAX:
        raise document.problem(f"not an endpoint: {text!r}")
    listener = found["listener"]
    # Before version 4 the listener's name was its security protocol.
    return Endpoint(listener, found["host"].strip("[]"), int(found["port"]), protocols.get(listener, listener))


def decode_broker_id(path: str) -> int:
    """Of the broker whose znode this is."""
    return decode_integer(path, path.rpartition("/")[2].encode("ascii", "replace"), _BROKER_IDS)
