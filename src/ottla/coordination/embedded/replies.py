"""What the server sends: reply headers, watch events, results.

Reply: int xid, long zxid, int err, then the body if err is 0. Event: the header with xid -1 and zxid -1, then int
type, int state (3: connected), ustring path. All of them in a frame: int length before the rest (`connection`).
"""

import struct

from ottla.coordination.embedded.jute import encode_boolean, encode_int, encode_string
from ottla.coordination.embedded.opcodes import WATCHER_EVENT_XID, OpCode
from ottla.coordination.operations import Created, EventType, SingleResult
from ottla.coordination.stat import Stat

_REPLY_HEADER = struct.Struct(">iqi")
_EVENT = struct.Struct(">ii")
_STATE_CONNECTED = 3
_MULTI_END = encode_int(-1) + encode_boolean(True) + encode_int(-1)


def encode_reply(xid: int, zxid: int, error: int = 0, body: bytes = b"") -> bytes:
    return _REPLY_HEADER.pack(xid, zxid, error) + body


def encode_event(kind: EventType, path: str) -> bytes:
    header = _REPLY_HEADER.pack(WATCHER_EVENT_XID, -1, 0)
    return header + _EVENT.pack(kind, _STATE_CONNECTED) + encode_string(path)


def encode_multi_results(kinds: list[int], results: list[SingleResult]) -> bytes:
    parts = []
    for kind, result in zip(kinds, results, strict=True):
        header = encode_int(kind) + encode_boolean(False) + encode_int(0)
        parts.append(header + encode_result(kind, result))
    return b"".join(parts) + _MULTI_END


def encode_multi_errors(codes: list[int]) -> bytes:
    """The results of a multi that failed: an error for each operation, 0 for those before the one at fault."""
    parts = [encode_int(OpCode.ERROR) + encode_boolean(False) + encode_int(code) * 2 for code in codes]
    return b"".join(parts) + _MULTI_END


def encode_result(kind: int, result: SingleResult) -> bytes:
    """The body of the answer to one write."""
    match result:
        case Created():
            path = encode_string(result.path)
            return path if kind == OpCode.CREATE else path + result.stat.encode()
        case Stat():
            return result.encode()
        case None:
            return b""
