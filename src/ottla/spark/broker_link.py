"""A blocking connection to one broker, for the tasks of Spark: requests go out, responses are waited for in order.

A task reads one partition and has nothing else to do meanwhile, so it needs no event loop: one socket, and one request
sent ahead of the response that is being worked on. Responses are received into one buffer that is used again and again;
what `receive` returns points into it and is valid until the next call. A `clients.ProtocolSession` says what the bytes
are, as it does for the connections of clients.
"""

import socket
from typing import Any

from ottla.clients.addresses import Address
from ottla.clients.connection import ConnectionSettings
from ottla.clients.protocol_session import FrameReceiver, ProtocolSession
from ottla.errors import DecodeError
from ottla.errors.kafka import NetworkError
from ottla.protocol.codec import encode
from ottla.protocol.message import Request


class BrokerLink:
    """Connected when made. Every failure is a NetworkError and ends the link."""

    def __init__(self, address: Address, settings: ConnectionSettings) -> None:
        self.address = address
        self._settings = settings
        self._session = ProtocolSession(settings.client_id)
        self._frames = FrameReceiver()
        self._socket = self._connect()
        try:
            self._shake_hands()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> socket.socket:
        try:
            connected = socket.create_connection(self.address, self._settings.connect_timeout_ms / 1000)
            connected.settimeout(self._settings.request_timeout_ms / 1000)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            raise NetworkError(f"{self.address}: {error}") from error
        return connected

    def _shake_hands(self) -> None:
        exchange = self._session.begin_handshake()
        while exchange is not None:
            response = self.ask(exchange.request, version=exchange.version)
            exchange = self._session.advance_handshake(response)

    def version_of(self, api_key: int, version_max: int | None = None) -> int:
        """The version in which an API is spoken here; UnsupportedVersionError when there is none."""
        return self._session.version_of(api_key, version_max)

    def ask(self, request: Request, *, version: int | None = None, version_max: int | None = None) -> Any:
        """The response to a request. Nothing else may be in flight."""
        assert not self._session.in_flight, "a response is still to be received"
        self.send(request, version=version, version_max=version_max)
        return self.receive()

    def send(self, request: Request, *, version: int | None = None, version_max: int | None = None) -> None:
        if version is None:
            version = self._session.version_of(request.API_KEY, version_max)
        chunks, _ = self._session.send(request.API_KEY, version, [encode(request, version)])
        try:
            self._socket.sendall(b"".join(chunks))  # type: ignore[arg-type]  # encoded: there are no files in it
        except OSError as error:
            raise NetworkError(f"{self.address}: {error}") from error

    def receive(self) -> Any:
        """The response to the oldest request. Its records are valid until the next call."""
        try:
            return self._session.receive(self._receive_frame())[1]
        except (OSError, DecodeError) as error:
            raise NetworkError(f"{self.address}: {error}") from error

    def _receive_frame(self) -> memoryview:
        frames = self._frames
        while True:
            count = self._socket.recv_into(frames.room())
            if not count:
                raise ConnectionResetError("the broker closed the connection")
            frame = frames.received(count)
            if frame is not None:
                return frame

    def close(self) -> None:
        self._socket.close()
