"""One request to one broker, over a socket of its own: for what no client offers, and for a broker's ApiVersions."""

import socket
from typing import TYPE_CHECKING, Any

from ottla.clients.addresses import parse_addresses
from ottla.clients.api_versions import VersionRange, read_versions
from ottla.errors.tree import OperatorError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from ottla.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse

if TYPE_CHECKING:
    from ottla.protocol.message import Request

CLIENT_ID = "ottla"
_TIMEOUT_SECONDS = 10


def ask(address: str, request: "Request", version: int) -> Any:
    """The broker's response. OperatorError when there is none."""
    header = encode_request_header(RequestHeader(request.API_KEY, version, 1, CLIENT_ID))
    frame = header + encode(request, version)
    try:
        response = _exchange(parse_addresses(address)[0], frame)
    except OSError as error:
        raise OperatorError(f"no answer from {address}: {error.strerror or error}") from error
    _, position = decode_response_header(request.API_KEY, version, response)
    return decode(api_info(request.API_KEY).response_class(), version, response, position)[0]


def fetch_api_versions(address: str) -> ApiVersionsResponse:
    """What the broker speaks, features included where it knows of them."""
    request = ApiVersionsRequest(client_software_name="ottla", client_software_version="0")
    response: ApiVersionsResponse = ask(address, request, 3)
    return response


def versions_of(address: str) -> dict[int, VersionRange]:
    return read_versions(fetch_api_versions(address))


def serves(address: str, api_key: ApiKey) -> bool:
    return api_key in versions_of(address)


def _exchange(address: tuple[str, int], frame: bytes) -> bytes:
    with socket.create_connection(address, _TIMEOUT_SECONDS) as sock:
        sock.sendall(len(frame).to_bytes(4, "big") + frame)
        with sock.makefile("rb") as stream:
            size = int.from_bytes(stream.read(4), "big")
            data = stream.read(size)
    if not data:
        raise OSError("the connection was closed")
    return data
