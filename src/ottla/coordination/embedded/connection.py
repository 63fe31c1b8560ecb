"""One client's socket: frames in, answers out.

A frame is an int length and that many bytes. The first frame is the handshake; instead of it four letters may come,
the text command of an operator. Whatever a client sends that cannot be understood closes this connection alone.

Everything that leaves carries the zxid that it depends on, and waits here until that is durable; what is behind it
waits too, since answers leave in the order of the requests.

Bounds: a frame by `jute.maxbuffer`; requests that wait by `globalOutstandingLimit` (reading stops until they left); a
turn of the loop by REQUESTS_PER_TURN, so that a client that pipelines does not starve the others; what a client does
not fetch by OUTPUT_BYTES_MAX (it is closed, and comes back); the time without a session by HANDSHAKE_SECONDS_MAX.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from ottla.coordination.acl import Id
from ottla.coordination.embedded.four_letter_words import answer_four_letter_word
from ottla.coordination.embedded.jute import encode_int
from ottla.errors import FrameError, PeerError
from ottla.errors.kafka import KafkaStorageError

if TYPE_CHECKING:
    from ottla.coordination.embedded.server import EmbeddedZooKeeper

REQUESTS_PER_TURN = 64
OUTPUT_BYTES_MAX = 16 << 20
HANDSHAKE_SECONDS_MAX = 10.0
_LENGTH_SIZE = 4


class ClientConnection(asyncio.Protocol):
    """A client, for the request processor; a protocol, for the event loop."""

    def __init__(self, server: "EmbeddedZooKeeper") -> None:
        self.session_id = 0
        self.identities: tuple[Id, ...] = ()
        self.is_authenticated = server.config.require_client_auth is None
        self.host = ""
        self.port = 0
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._handshake_timer: asyncio.TimerHandle | None = None
        self._received = bytearray()
        self._queue: deque[tuple[int, bytes]] = deque()
        self._queued_bytes = 0
        self._is_greeted = False
        self._is_closing = False
        self._flush_is_due = False
        self._is_reading_paused = False
        self._is_writing_paused = False

    # Called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername") or ("", 0)
        self.host, self.port = str(peer[0]), int(peer[1])
        self.identities = (Id("ip", self.host),)
        if not self._server.admit(self):
            self.close(f"too many connections from {self.host}")
        else:
            loop = asyncio.get_running_loop()
            self._handshake_timer = loop.call_later(HANDSHAKE_SECONDS_MAX, self.close, "it did not open a session")

    def connection_lost(self, error: Exception | None) -> None:
        self._is_closing = True
        self._transport = None
        self._queue.clear()
        self._stop_handshake_timer()
        self._server.remove(self)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._process()

    def pause_writing(self) -> None:
        self._is_writing_paused = True

    def resume_writing(self) -> None:
        self._is_writing_paused = False
        self._process()

    # Requests

    def _process(self) -> None:
        """Handle what has been received as far as the bounds allow."""
        try:
            self._handle_some()
        except PeerError as error:
            self.close(str(error))
        except KafkaStorageError as error:
            self.close(f"no room to write its request: {error}")
        except Exception as error:  # noqa: BLE001  the connection loop: a bug costs a connection, a broken log the server
            self._server.handle_unexpected(error)
            self.close("its request failed")
        self._adapt_reading()

    def _handle_some(self) -> None:
        for _ in range(REQUESTS_PER_TURN):
            if self._must_wait() or not self._handle_next():
                return
        asyncio.get_running_loop().call_soon(self._process)

    def _must_wait(self) -> bool:
        return self._is_closing or self._is_writing_paused or len(self._queue) >= self._server.config.outstanding_max

    def _handle_next(self) -> bool:
        """Handle one frame; False if there is no whole one."""
        if len(self._received) < _LENGTH_SIZE:
            return False
        if not self._is_greeted and self._handle_four_letters():
            return False
        end = _LENGTH_SIZE + int.from_bytes(self._received[:_LENGTH_SIZE])
        if not _LENGTH_SIZE < end <= _LENGTH_SIZE + self._server.config.request_bytes_max:
            raise FrameError(f"a frame of {end - _LENGTH_SIZE} bytes")
        if len(self._received) < end:
            return False
        payload = bytes(self._received[_LENGTH_SIZE:end])
        del self._received[:end]
        self._handle_frame(payload)
        return True

    def _handle_frame(self, payload: bytes) -> None:
        self._server.statistics.packets_received += 1
        if self._is_greeted:
            self._server.processor.handle_request(self, payload)
        else:
            self._is_greeted = True
            self._stop_handshake_timer()
            self._server.processor.handle_connect(self, payload)
            self._server.session_opened()

    def _stop_handshake_timer(self) -> None:
        if self._handshake_timer is not None:
            self._handshake_timer.cancel()
            self._handshake_timer = None

    def _handle_four_letters(self) -> bool:
        answer = answer_four_letter_word(bytes(self._received[:_LENGTH_SIZE]), self._server)
        if answer is None:
            return False
        self._received.clear()
        assert self._transport is not None
        self._transport.write(answer)
        self._is_closing = True
        self._transport.close()
        return True

    def _adapt_reading(self) -> None:
        """Read only while there is room for what comes."""
        if self._transport is None or self._is_closing:
            return
        full = len(self._received) > self._server.config.request_bytes_max + _LENGTH_SIZE
        wanted = full or self._must_wait()
        if wanted != self._is_reading_paused:
            self._is_reading_paused = wanted
            (self._transport.pause_reading if wanted else self._transport.resume_reading)()

    # Answers

    def send(self, payload: bytes, zxid: int) -> None:
        if self._transport is None or self._is_closing:
            return
        if self._queued_bytes + self._transport.get_write_buffer_size() > OUTPUT_BYTES_MAX:
            self.close("it does not fetch its answers")
            return
        self._queue.append((zxid, encode_int(len(payload)) + payload))
        self._queued_bytes += len(payload)
        if not self._flush_is_due:
            self._flush_is_due = True
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Let everything leave that may."""
        self._flush_is_due = False
        if self._transport is None:
            return
        durable_zxid = self._server.durable_zxid
        ready: list[bytes] = []
        while self._queue and self._queue[0][0] <= durable_zxid:
            ready.append(self._queue.popleft()[1])
        if ready:
            data = b"".join(ready)
            self._queued_bytes -= len(data) - _LENGTH_SIZE * len(ready)
            self._server.statistics.packets_sent += len(ready)
            self._transport.write(data)
        if self._queue:
            self._server.wait_for_durable(self)
        elif self._is_closing:
            self._transport.close()
        elif self._received:
            self._process()
        else:
            self._adapt_reading()

    def close_after_sending(self) -> None:
        """Take no more requests; close when the queue has left."""
        self._is_closing = True
        if not self._flush_is_due:
            self.flush()

    def close(self, reason: str) -> None:
        """Close at once. What is queued is dropped: the client must take it for lost."""
        if self._transport is not None:
            self._server.log.info(
                "connection closed",
                "Closing connection of %s:%d, session 0x%x: %s", self.host, self.port, self.session_id, reason,
            )  # fmt: skip
            self._is_closing = True
            self._queue.clear()
            self._transport.abort()

    @property
    def outstanding(self) -> int:
        return len(self._queue)
