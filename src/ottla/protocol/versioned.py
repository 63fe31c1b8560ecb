"""Payloads that carry their version: two bytes of it, then the message.

So are stored the keys and values of `__consumer_offsets` and `__transaction_state`, and so are sent the subscriptions
and assignments of classic consumer groups.
"""

from __future__ import annotations

from struct import Struct, error
from typing import TypeVar

from ottla.errors import DecodeError
from ottla.protocol.codec import decode, encode
from ottla.protocol.message import Data

D = TypeVar("D", bound=Data)
_VERSION = Struct(">h")


def encode_versioned(message: Data, version: int) -> bytes:
    return _VERSION.pack(version) + encode(message, version)


def payload_version(buffer: bytes | bytearray | memoryview) -> int:
    """The version that stands in front: of a record's key it tells what the record is."""
    try:
        (version,) = _VERSION.unpack_from(buffer)
    except error as problem:
        raise DecodeError("the bytes end before the version") from problem
    return int(version)


def decode_versioned(
    message_class: type[D], buffer: bytes | bytearray | memoryview, *, newer_as_latest: bool = False
) -> tuple[D, int]:
    """The message and its version. `newer_as_latest` reads a version above the known ones as the highest known one,
    and lets bytes follow: the rule for what consumers of newer versions send (they only add at the end).
    """
    version = readable_version = payload_version(buffer)
    if newer_as_latest and version > message_class.VERSIONS[-1]:
        readable_version = message_class.VERSIONS[-1]
    message, end = decode(message_class, readable_version, buffer, _VERSION.size)
    if end != len(buffer) and not newer_as_latest:
        raise DecodeError(f"{message_class.__name__} v{version}: {len(buffer) - end} bytes are left over")
    return message, version
