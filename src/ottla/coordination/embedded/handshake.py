"""The first frame of a connection: a new session, or one that comes back.

    request   int protocolVersion, long lastZxidSeen, int timeOut, long sessionId, buffer passwd, [boolean readOnly]
    response  int protocolVersion, int timeOut, long sessionId, buffer passwd, [boolean readOnly]

A session that cannot be resumed (unknown, over, or the wrong password) is answered with timeOut and sessionId 0. A
session has one connection: the older one is closed when the client comes back by another.
"""

from hmac import compare_digest
from typing import NamedTuple

from ottla.coordination.embedded.jute import Reader, encode_boolean, encode_buffer, encode_int, encode_long

PASSWORD_BYTES = 16


class ConnectRequest(NamedTuple):
    last_zxid_seen: int
    timeout_ms: int
    session_id: int
    password: bytes
    read_only: bool | None


def decode_connect_request(payload: bytes) -> ConnectRequest:
    reader = Reader(payload)
    reader.integer()
    last_zxid_seen, timeout_ms, session_id, password = reader.long(), reader.integer(), reader.long(), reader.buffer()
    read_only = reader.boolean() if reader.remaining else None
    return ConnectRequest(last_zxid_seen, timeout_ms, session_id, password or b"", read_only)


def encode_connect_response(request: ConnectRequest, timeout_ms: int, session_id: int, password: bytes) -> bytes:
    """A client of before ZooKeeper 3.4 sends no readOnly and gets none."""
    response = encode_int(0) + encode_int(timeout_ms) + encode_long(session_id) + encode_buffer(password)
    return response if request.read_only is None else response + encode_boolean(False)


def encode_refusal(request: ConnectRequest) -> bytes:
    return encode_connect_response(request, 0, 0, bytes(PASSWORD_BYTES))


def negotiate_timeout(requested_ms: int, allowed_ms: tuple[int, int]) -> int:
    shortest, longest = allowed_ms
    return max(shortest, min(requested_ms, longest))


def is_password(given: bytes, expected: bytes) -> bool:
    return compare_digest(given, expected)


def first_session_id(wall_ms: int, known: list[int]) -> int:
    """Server number 1 in the top byte, then the time of the start, then a counter: never given out twice."""
    from_clock = 1 << 56 | ((wall_ms << 24 & 0xFFFF_FFFF_FFFF_FFFF) >> 8 & (1 << 56) - 1)
    return max([from_clock, *(session_id + 1 for session_id in known)])
