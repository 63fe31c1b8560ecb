"""What a handler is told about a request besides its body, and what it may return instead of a response message."""

from typing import Final, TypeAlias

from ottla.errors import OttlaError

ANONYMOUS: Final = "User:ANONYMOUS"

NO_RESPONSE: Final = None
"""Returned by a handler whose client wants no answer (Produce with acks=0)."""

EncodedResponse: TypeAlias = bytes
"""A response body that is encoded already, for the version that was asked for. Caches keep these."""


class RequestContext:
    """Who asks, by which listener, and when the request was received (monotonic seconds).

    A handler that finds its client over a quota sets `throttle_time_ms`: the answer is sent at once, and the
    connection is not read for that long (KIP-219). One that goes on in a coroutine with bytes of the request says in
    `held_bytes` how many: they count as being received until it ends.
    """

    __slots__ = (
        "api_key",
        "api_version",
        "client_host",
        "client_id",
        "client_port",
        "correlation_id",
        "held_bytes",
        "listener_name",
        "principal",
        "received_at",
        "throttle_time_ms",
    )

    def __init__(
        self,
        api_key: int,
        api_version: int,
        correlation_id: int = 0,
        client_id: str | None = None,
        listener_name: str = "PLAINTEXT",
        client_host: str = "127.0.0.1",
        client_port: int = 0,
        principal: str = ANONYMOUS,
        received_at: float = 0.0,
    ) -> None:
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.listener_name = listener_name
        self.client_host = client_host
        self.client_port = client_port
        self.principal = principal
        self.received_at = received_at
        self.throttle_time_ms = 0
        self.held_bytes = 0


class CloseConnection(OttlaError):
    """Raised by a handler: close the connection without an answer (an error of a Produce with acks=0)."""
