"""The frame: what stands before every request and response on a connection.

    OFFSET SIZE FIELD
         0    4 size     int32, big-endian: how many bytes follow
         4    n message  of a request the first field is its API key (int16), of a response the correlation id (int32)

The size is the first thing a stranger can lie about, so it is checked before a byte is allocated for the message:
negative sizes, sizes too small for any message, and sizes over the bound of the connection end the connection.
"""

import struct

from ottla.errors import FrameError

FRAME_SIZE = struct.Struct(">i")
SIZE_BYTES = 4
API_KEY = struct.Struct(">h")
API_KEY_BYTES = 2

# A response has at least its correlation id, a request more than that.
MESSAGE_SIZE_MIN = 4
# Kafka's default of socket.request.max.bytes.
MESSAGE_SIZE_MAX_DEFAULT = 104857600

_TLS_HANDSHAKE = 0x16
_HTTP_METHODS = (b"GET ", b"HEAD", b"POST", b"PUT ", b"DELE", b"OPTI", b"PATC", b"CONN", b"TRAC")


def frame_size_error(size: int, size_max: int) -> FrameError:
    """Why a frame of this size ends the connection, with a hint where the peer speaks another protocol."""
    if size < 0:
        problem = f"frame size {size} is negative"
    elif size < MESSAGE_SIZE_MIN:
        problem = f"frame size {size} is too small for a message"
    else:
        problem = f"frame size {size} is over the limit of {size_max} bytes"
    return FrameError(problem + _other_protocol_hint(size))


def _other_protocol_hint(size: int) -> str:
    first_bytes = FRAME_SIZE.pack(size)
    if first_bytes in _HTTP_METHODS:
        return " (the peer seems to speak HTTP)"
    if first_bytes[0] == _TLS_HANDSHAKE and first_bytes[1] == 3:
        return " (the peer seems to speak TLS to a plaintext listener)"
    return ""
