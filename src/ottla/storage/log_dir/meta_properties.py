"""`meta.properties`: which broker of which cluster a log directory belongs to.

A Java properties file. Version 0 is that of ZooKeeper mode:

    version=0
    broker.id=1
    cluster.id=<22 characters>

Version 1 (KRaft: `node.id`, `directory.id`) is read too, so that a directory can be adopted; it is written back with
its own keys. A broker refuses to start on directories that belong to another: started on somebody else's data it
would serve one topic's records as another's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ottla.errors import OperatorError

FILE_NAME = "meta.properties"

_ID_KEYS = {0: "broker.id", 1: "node.id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaProperties:
    version: int = 0
    broker_id: int | None = None
    cluster_id: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)

    def encode(self) -> bytes:
        properties = {**self.others, "version": str(self.version)}
        if self.broker_id is not None:
            properties[_ID_KEYS[self.version]] = str(self.broker_id)
        if self.cluster_id is not None:
            properties["cluster.id"] = self.cluster_id
        return "".join(f"{key}={value}\n" for key, value in sorted(properties.items())).encode()


def decode_meta_properties(data: bytes, source: str) -> MetaProperties:
    properties = _parse_properties(data, source)
    version = _int_property(properties, "version", source)
    if version not in _ID_KEYS:
        raise OperatorError(f"{source}: version {version} is unknown; was it written by a newer broker?")
    id_key = _ID_KEYS[version]
    return MetaProperties(
        version=version,
        broker_id=_int_property(properties, id_key, source) if id_key in properties else None,
        cluster_id=properties.get("cluster.id"),
        others={key: value for key, value in properties.items() if key not in ("version", id_key, "cluster.id")},
    )


def _parse_properties(data: bytes, source: str) -> dict[str, str]:
    """Only what Kafka writes here: `key=value` lines and comments."""
    properties = {}
    for line in data.decode("utf-8", "replace").splitlines():
        stripped = line.strip()
        if not stripped or stripped[0] in "#!":
            continue
        key, separator, value = stripped.partition("=")
        if not separator:
            raise OperatorError(f"{source}: {stripped[:80]!r} is not key=value")
        properties[key.strip()] = value.strip().replace("\\", "")
    return properties


def _int_property(properties: Mapping[str, str], key: str, source: str) -> int:
    try:
        return int(properties[key])
    except KeyError:
        raise OperatorError(f"{source}: {key} is missing") from None
    except ValueError:
        raise OperatorError(f"{source}: {key}={properties[key]} is not a number") from None


def check_same_broker(found: Iterable[tuple[str, MetaProperties]], broker_id: int | None) -> int | None:
    """The broker id that all log directories agree on, or the configured one. OperatorError when they do not agree."""
    agreed, agreed_source = broker_id, "broker.id"
    for source, properties in found:
        if properties.broker_id is None:
            continue
        if agreed is not None and properties.broker_id != agreed:
            raise OperatorError(
                f"{agreed_source} says that this is broker {agreed}, but {source} says {properties.broker_id}. "
                "If the log directory moved from another broker, remove its meta.properties; otherwise mend broker.id."
            )
        agreed, agreed_source = properties.broker_id, source
    return agreed


def check_same_cluster(found: Iterable[tuple[str, MetaProperties]], cluster_id: str) -> None:
    """OperatorError when a log directory was written in another cluster than the one that ZooKeeper shows."""
    for source, properties in found:
        if properties.cluster_id not in (None, cluster_id):
            raise OperatorError(
                f"{source} belongs to cluster {properties.cluster_id}, but this broker is joining {cluster_id}. "
                "Is zookeeper.connect right? If the data is to move, remove meta.properties."
            )
