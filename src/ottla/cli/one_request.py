"""Sends one request to one broker over a socket of its own, for APIs that no client offers."""

import socket
from typing import TYPE_CHECKING, Any

from ottla.clients.addresses import parse_addresses
from ottla.clients.api_versions import VersionRange, read_versions
from ottla.clients.protocol_session import FrameReceiver, ProtocolSession
from ottla.errors.tree import OperatorError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode
from ottla.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

if TYPE_CHECKING:
    from ottla.protocol.message import Request

CLIENT_ID = "ottla"
_TIMEOUT_SECONDS = 10


def ask(address: str, request: "Request", version: int) -> Any:
    """The broker's response. OperatorError when there is none."""
    session = ProtocolSession(CLIENT_ID, first_correlation_id=1)
    frame, _ = session.send(request.API_KEY, version, [encode(request, version)])
    try:
        response = _exchange(parse_addresses(address)[0], b"".join(frame))  # type: ignore[arg-type]  # no files in it
    except OSError as error:
        raise OperatorError(f"no answer from {address}: {error.strerror or error}") from error
    return session.receive(response)[1]


def fetch_api_versions(address: str) -> ApiVersionsResponse:
    """What the broker speaks, features included where it knows of them."""
    request = ApiVersionsRequest(client_software_name="ottla", client_software_version="0")
    response: ApiVersionsResponse = ask(address, request, 3)
    return response


def versions_of(address: str) -> dict[int, VersionRange]:
    return read_versions(fetch_api_versions(address))


def serves(address: str, api_key: ApiKey) -> bool:
    return api_key in versions_of(address)


def _exchange(address: tuple[str, int], frame: bytes) -> memoryview:
    frames = FrameReceiver()
    with socket.create_connection(address, _TIMEOUT_SECONDS) as sock:
        sock.sendall(frame)
        while count := sock.recv_into(frames.room()):
            response = frames.received(count)
            if response is not None:
                return response
    raise OSError("the connection was closed")
