"""What drivers and tests exchange."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
CONSUME_SECONDS_MAX = 30


class DriverError(Exception):
    """The client gave an error; its text is the client's own."""


class ClientRecord(NamedTuple):
    """A record as a client takes or gives it. No `timestamp`: its own clock; no `partition`: its choice."""

    key: bytes | None = None
    value: bytes | None = b""
    headers: Headers = ()
    timestamp: int | None = None
    partition: int | None = 0
    offset: int = -1

    def without_offset(self) -> "ClientRecord":
        return self._replace(offset=-1)


class Driver(ABC):
    """One client. `has_headers` and the rest say what it can do at all."""

    name: str
    has_headers = True
    sets_timestamps = True
    reports_offsets = True

    @abstractmethod
    def produce(
        self,
        address: str,
        topic: str,
        records: Sequence[ClientRecord],
        *,
        codec: str = "none",
        acks: str = "all",
        config: Mapping[str, str] | None = None,
    ) -> list[int]:
        """Send them, wait for all acknowledgements and give the offsets (-1 where the client does not say)."""

    @abstractmethod
    def consume(
        self,
        address: str,
        topic: str,
        starts: Mapping[int, int],
        count: int,
        *,
        timeout: float = CONSUME_SECONDS_MAX,
        config: Mapping[str, str] | None = None,
    ) -> list[ClientRecord]:
        """Read partitions from the given offsets until `count` records are there or the time is over."""

    @abstractmethod
    def offset_at(self, address: str, topic: str, partition: int, at: str | int) -> int:
        """The offset "earliest", "latest" or at a timestamp. No such record: -1 or the end, as the client has it."""

    def close(self) -> None:  # noqa: B027 - most have nothing to end
        """End what the driver has started."""
