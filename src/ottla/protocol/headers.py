"""The headers in front of requests and responses.

    request   0  2  API_KEY          int16
              2  2  API_VERSION      int16
              4  4  CORRELATION_ID   int32
              8  2  CLIENT_ID        int16 length (-1: null) and UTF-8; never compact; missing in header version 0
                    tag section                                           from header version 2 on
    response  0  4  CORRELATION_ID   int32
                    tag section                                           from header version 1 on

The version of a header follows from the API and its version (see `apis`). The place of key, version and correlation id
is always the same, so a header can be read whose version of the API is unknown.
"""

from __future__ import annotations

from struct import Struct, error
from typing import NamedTuple

from ottla.errors import DecodeError
from ottla.protocol.apis import api_info
from ottla.protocol.primitives import skip_tags

_FIXED = Struct(">hhi")
_FIXED_AND_LENGTH = Struct(">hhih")
_CORRELATION_ID = Struct(">i")


class RequestHeader(NamedTuple):
    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None = None


def decode_request_header(buffer: bytes | bytearray | memoryview) -> tuple[RequestHeader, int]:
    """The header and where the body begins. DecodeError also when the API key is unknown."""
    try:
        return _decode_request_header(memoryview(buffer))
    except (error, IndexError, UnicodeDecodeError) as problem:
        raise DecodeError(f"request header: {problem}") from problem


def _decode_request_header(buffer: memoryview) -> tuple[RequestHeader, int]:
    api_key, api_version, correlation_id = _FIXED.unpack_from(buffer)
    header_version = api_info(api_key).request_header_version(api_version)
    if header_version == 0:
        return RequestHeader(api_key, api_version, correlation_id), _FIXED.size
    client_id, position = _decode_client_id(buffer)
    if header_version == 2:
        position = _skip_tag_section(buffer, position)
    return RequestHeader(api_key, api_version, correlation_id, client_id), position


def _decode_client_id(buffer: memoryview) -> tuple[str | None, int]:
    start = _FIXED_AND_LENGTH.size
    length = _FIXED_AND_LENGTH.unpack_from(buffer)[3]
    if length < 0:
        if length != -1:
            raise DecodeError(f"request header: length {length} of client id")
        return None, start
    end = start + length
    if end > len(buffer):
        raise DecodeError(f"request header: client id has {length} bytes, {len(buffer) - start} are left")
    return str(buffer[start:end], "utf-8"), end


def _skip_tag_section(buffer: memoryview, position: int) -> int:
    first = buffer[position]
    return skip_tags(buffer, position + 1, len(buffer), first) if first else position + 1


def encode_request_header(header: RequestHeader) -> bytes:
    version = api_info(header.api_key).request_header_version(header.api_version)
    if version == 0:
        return _FIXED.pack(*header[:3])
    client_id = b"" if header.client_id is None else header.client_id.encode()
    length = -1 if header.client_id is None else len(client_id)
    return _FIXED_AND_LENGTH.pack(*header[:3], length) + client_id + (b"\x00" if version == 2 else b"")


def encode_response_header(api_key: int, version: int, correlation_id: int) -> bytes:
    tags = b"\x00" if api_info(api_key).response_header_version(version) else b""
    return _CORRELATION_ID.pack(correlation_id) + tags


def decode_response_header(api_key: int, version: int, buffer: bytes | bytearray | memoryview) -> tuple[int, int]:
    """The correlation id and where the body begins."""
    try:
        (correlation_id,) = _CORRELATION_ID.unpack_from(buffer)
        if not api_info(api_key).response_header_version(version):
            return correlation_id, _CORRELATION_ID.size
        return correlation_id, _skip_tag_section(memoryview(buffer), _CORRELATION_ID.size)
    except (error, IndexError) as problem:
        raise DecodeError(f"response header: {problem}") from problem
