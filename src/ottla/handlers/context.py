"""What a handler is told about a request besides its body, and what it may return instead of a response message."""

from typing import Final, TypeAlias

from ottla.errors import OttlaError

ANONYMOUS: Final = "User:ANONYMOUS"

NO_RESPONSE: Final = None
"""Returned by a handler whose client wants no response (Produce with acks=0)."""

EncodedResponse: TypeAlias = bytes
"""A response body that is encoded already, for the version that was asked for. Caches keep these."""

UNKNOWN_SOFTWARE = ("unknown", "unknown")
"""Kafka's words for clients that do not name their library and its version."""
# What is longer is no name of a library: it would be kept as long as the connection, and shown as a metric's label.
SOFTWARE_LENGTH_MAX = 100


class ClientContext:
    """Who is at the other end of a connection, and by which listener it came. All requests of the connection share it.

    A fast path that finds its client over a quota sets `throttle_time_ms`, as others do in their `RequestContext`.
    """

    __slots__ = (
        "client_id",
        "host",
        "listener_name",
        "listener_serves_brokers",
        "port",
        "principal",
        "software",
        "throttle_time_ms",
    )

    def __init__(
        self,
        listener_name: str = "PLAINTEXT",
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        listener_serves_brokers: bool = True,
    ) -> None:
        self.listener_name = listener_name
        self.listener_serves_brokers = listener_serves_brokers
        self.host = host
        self.port = port
        self.client_id: str | None = None
        self.principal = ANONYMOUS
        self.software = UNKNOWN_SOFTWARE
        self.throttle_time_ms = 0

    def note_software(self, name: str, version: str) -> None:
        """What the client says of its library (KIP-511)."""
        if name and len(name) <= SOFTWARE_LENGTH_MAX and len(version) <= SOFTWARE_LENGTH_MAX:
            self.software = (name, version)


_LOCAL = ClientContext()


class RequestContext:
    """One request: its header, its client, and when it was received (monotonic seconds).

    A client may change its id from request to request. A handler that finds its client over a quota sets
    `throttle_time_ms`: the response is sent at once, and the connection is not read for that long (KIP-219). One that
    goes on in a coroutine with bytes of the request says in `held_bytes` how many: they count as being received until
    it ends.
    """

    __slots__ = (
        "api_key",
        "api_version",
        "client",
        "client_id",
        "correlation_id",
        "held_bytes",
        "received_at",
        "throttle_time_ms",
    )

    def __init__(
        self,
        api_key: int,
        api_version: int,
        correlation_id: int = 0,
        client_id: str | None = None,
        client: ClientContext = _LOCAL,
        received_at: float = 0.0,
    ) -> None:
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.client = client
        self.received_at = received_at
        self.throttle_time_ms = 0
        self.held_bytes = 0

    @property
    def listener_name(self) -> str:
        return self.client.listener_name

    @property
    def client_host(self) -> str:
        return self.client.host

    @property
    def client_port(self) -> int:
        return self.client.port

    @property
    def principal(self) -> str:
        return self.client.principal


class CloseConnection(OttlaError):
    """Raised by a handler: close the connection without a response (an error of a Produce with acks=0)."""
