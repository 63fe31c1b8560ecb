"""Messages to bytes and back (step 2 of a record's path). Sans-IO: bytes in, messages out.

Each (message class, version) has a reader and a writer, compiled on first use and kept on the class. Versions that
look the same on the wire (Fetch 13 and 14, say) share one. `prepare` compiles those of given APIs beforehand, so that
the first request of a client does not pay.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from ottla.errors import DecodeError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.layout import equivalent_version
from ottla.protocol.message import Message
from ottla.protocol.reader_compiler import Reader, compile_reader
from ottla.protocol.writer_compiler import Writer, compile_writer

if TYPE_CHECKING:
    from ottla.disk.sendable import Sendable

M = TypeVar("M", bound=Message)

HOT_APIS = (ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.METADATA, ApiKey.API_VERSIONS)


def decode(
    message_class: type[M], version: int, buffer: bytes | bytearray | memoryview, position: int = 0
) -> tuple[M, int]:
    """The message at `position` and where it ends; whether bytes may follow is for the caller to say.

    DecodeError for whatever is wrong with the bytes. `records` fields are slices of `buffer`.
    """
    try:
        reader = message_class.READERS[version]
    except KeyError:
        reader = reader_for(message_class, version)
    if type(buffer) is not memoryview:
        buffer = memoryview(buffer)
    try:
        return reader(buffer, position)
    except (DecodeError, IndexError, struct.error, UnicodeDecodeError) as error:
        reason = "the bytes end too early" if isinstance(error, (IndexError, struct.error)) else error
        raise DecodeError(f"{message_class.__name__} v{version}: {reason}") from error


def encode_chunks(message: Message, version: int) -> list[bytes | Sendable]:
    """The message as pieces to be sent one after the other; a file in a `records` field stays a file."""
    try:
        writer = message.WRITERS[version]
    except KeyError:
        writer = writer_for(type(message), version)
    return writer(message)


def encode(message: Message, version: int) -> bytes:
    """The message as one piece. Files in `records` fields are read: use `encode_chunks` for what goes to a socket."""
    chunks: list[Any] = encode_chunks(message, version)
    if len(chunks) == 1:
        return bytes(chunks[0])
    return b"".join(chunk.read(0, len(chunk)) if hasattr(chunk, "send_to") else chunk for chunk in chunks)


def reader_for(message_class: type[Message], version: int) -> Reader:
    """The reader of a version, compiled if need be."""
    if version not in message_class.VERSIONS:
        raise DecodeError(f"{message_class.__name__} has no version {version}")
    readers = message_class.READERS
    if version not in readers:
        same = max(equivalent_version(message_class, version), message_class.VERSIONS.start)
        readers[version] = readers[same] if same in readers else compile_reader(message_class, same)
        readers.setdefault(same, readers[version])
    return readers[version]


def writer_for(message_class: type[Message], version: int) -> Writer:
    """The writer of a version, compiled if need be."""
    if version not in message_class.VERSIONS:
        raise ValueError(f"{message_class.__name__} has no version {version}")
    writers = message_class.WRITERS
    if version not in writers:
        same = max(equivalent_version(message_class, version), message_class.VERSIONS.start)
        writers[version] = writers[same] if same in writers else compile_writer(message_class, same)
        writers.setdefault(same, writers[version])
    return writers[version]


def prepare(api_keys: Iterable[int] = HOT_APIS) -> None:
    """Compiles what a broker needs of these APIs, in all versions: readers of requests, writers of responses."""
    for api_key in api_keys:
        info = api_info(api_key)
        for version in range(info.versions[0], info.versions[1] + 1):
            reader_for(info.request_class(), version)
            writer_for(info.response_class(), version)
