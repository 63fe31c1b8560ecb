"""What a connection still has to send: bytes and Sendables, in order.

Neighbouring byte chunks leave in one `sendmsg`; bytes before a Sendable leave with MSG_MORE, so that a response header
and the first of its data share a packet. A Sendable sends itself (sendfile), or is read in pieces where the stream has
no socket for that; it is closed exactly once: when its last byte has been sent, or when the queue is dropped.
"""

import socket
from collections import deque
from collections.abc import Iterable
from enum import Enum
from itertools import islice

from ottla.disk.sendable import Sendable
from ottla.transport.byte_stream import ByteStream

Chunk = bytes | bytearray | memoryview | Sendable

_BYTES = (bytes, bytearray, memoryview)
# Buffers of one sendmsg. The kernel takes 1,024; a few dozen are enough to save the calls.
_BUFFERS_PER_CALL_MAX = 64
# Small responses that were collected are copied together, which costs less than handing the kernel each of them.
_JOINED_BYTES_MAX = 16 * 1024
# What is read of a Sendable at a time that cannot send itself.
_READ_BYTES_MAX = 64 * 1024


class Flush(Enum):
    """Why a flush ended."""

    DRAINED = "nothing is left to send"
    BLOCKED = "the socket takes no more now"
    BUDGET_SPENT = "others must have their turn"


class WriteQueue:
    __slots__ = ("_chunks", "_head_sent", "_joined", "sent_bytes", "unsent_bytes")

    def __init__(self) -> None:
        self._chunks: deque[Chunk] = deque()
        self._joined = bytearray()  # of `add_small`; in the queue or not
        self._head_sent = 0
        self.unsent_bytes = 0
        self.sent_bytes = 0

    def add(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            size = len(chunk)
            if size:
                self._chunks.append(chunk)
                self.unsent_bytes += size
            else:
                _close(chunk)

    def add_small(self, data: bytes) -> None:
        """`add` of a small response: copied behind the one before it, which is cheaper than a chunk of its own."""
        chunks = self._chunks
        self.unsent_bytes += len(data)
        joined = self._joined
        if chunks and chunks[-1] is joined and len(joined) < _JOINED_BYTES_MAX:
            joined += data
        else:
            self._joined = joined = bytearray(data)
            chunks.append(joined)

    def flush(self, stream: ByteStream, budget_bytes: int) -> Flush:
        """Send until the queue is empty, the stream takes no more or the budget is spent. Errors of the stream pass."""
        chunks = self._chunks
        try:
            while chunks:
                if budget_bytes <= 0:
                    return Flush.BUDGET_SPENT
                head = chunks[0]
                if isinstance(head, _BYTES):
                    sent = wanted = self._send_bytes(stream, head, budget_bytes)
                else:
                    wanted = min(len(head) - self._head_sent, budget_bytes)
                    if stream.sendfile_socket is None:
                        wanted = min(wanted, _READ_BYTES_MAX)
                    sent = self._send_sendable(stream, head, wanted)
                self._advance(sent)
                if sent < wanted:  # The stream takes no more. To ask it again would be a call that says just this.
                    return Flush.BLOCKED
                budget_bytes -= sent
        except BlockingIOError:
            return Flush.BLOCKED
        return Flush.DRAINED

    def drop(self) -> None:
        """Forget what is unsent. Every Sendable in the queue is closed."""
        for chunk in self._chunks:
            _close(chunk)
        self._chunks.clear()
        self.unsent_bytes = self._head_sent = 0

    def _send_bytes(self, stream: ByteStream, head: bytes | bytearray | memoryview, budget_bytes: int) -> int:
        chunks = self._chunks
        if len(chunks) == 1:
            if self._head_sent or len(head) > budget_bytes:
                head = memoryview(head)[self._head_sent : self._head_sent + budget_bytes]
            return stream.send(head)
        if self._head_sent:
            head = memoryview(head)[self._head_sent :]
        if not isinstance(chunks[1], _BYTES):
            return stream.send(head, socket.MSG_MORE)
        buffers = [head]
        flags = 0
        for chunk in islice(chunks, 1, _BUFFERS_PER_CALL_MAX):
            if not isinstance(chunk, _BYTES):
                flags = socket.MSG_MORE
                break
            buffers.append(chunk)
        if self.unsent_bytes <= _JOINED_BYTES_MAX:
            return stream.send(b"".join(buffers), flags)
        return stream.sendmsg(buffers, flags)

    def _send_sendable(self, stream: ByteStream, head: Sendable, count: int) -> int:
        sock = stream.sendfile_socket
        if sock is not None:
            sent = head.send_to(sock, self._head_sent, count)
        else:
            data = head.read(self._head_sent, count)
            sent = stream.send(data) if data else 0
        if not sent:
            raise ConnectionAbortedError("the data to send ended before its announced length")
        return sent

    def _advance(self, sent: int) -> None:
        chunks = self._chunks
        self.unsent_bytes -= sent
        self.sent_bytes += sent
        sent += self._head_sent
        while chunks and sent >= (size := len(chunks[0])):
            sent -= size
            _close(chunks.popleft())
        self._head_sent = sent


def drop_chunks(chunks: Iterable[Chunk]) -> None:
    """Close the Sendables of a response that nobody will get."""
    for chunk in chunks:
        _close(chunk)


def _close(chunk: Chunk) -> None:
    if not isinstance(chunk, _BYTES):
        chunk.close()
