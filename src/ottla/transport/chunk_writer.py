"""The sending half of a connection: chunks in, bytes out, as fast as the stream takes them.

    READY        everything has been sent; `send` tries the stream at once
    COLLECTING   frames are being handed over: their responses wait and leave together
    BLOCKED      the stream takes no more now: the rest waits until the selector says that it does
    NEXT_TURN    the budget of a turn is spent: the rest waits for the next turn, so that a reader of gigabytes delays
                 nobody
    CLOSED       what is sent is dropped

The backlog is what is unsent in BLOCKED and NEXT_TURN. `finish` lets the backlog leave and closes the connection then.
"""

from collections.abc import Iterable
from enum import Enum

from ottla.clock import Clock
from ottla.errors import OttlaError
from ottla.transport.byte_stream import NO_DRIVER, ByteStream, CloseReason, StreamDriver
from ottla.transport.write_queue import Chunk, Flush, WriteQueue, drop_chunks

# What one connection may send before others get their turn. A response with the megabyte that consumers ask of a
# partition by default leaves in one turn, with what stands around it.
SEND_BYTES_PER_TURN_MAX = (1024 + 64) * 1024


class SendState(Enum):
    READY = "ready"
    COLLECTING = "collecting"
    BLOCKED = "blocked"
    NEXT_TURN = "next turn"
    CLOSED = "closed"


# Looking up a member of an Enum costs several times what a global costs, and these are asked for each request.
READY, COLLECTING, BLOCKED, NEXT_TURN, CLOSED = SendState


class ChunkWriter:
    __slots__ = ("_clock", "_driver", "_finish_reason", "_stream", "backlog_since", "progress_at", "queue", "state")

    def __init__(self, stream: ByteStream, driver: StreamDriver, clock: Clock) -> None:
        self._stream = stream
        self._driver = driver
        self._clock = clock
        self._finish_reason: CloseReason | None = None
        self.queue = WriteQueue()
        self.state = READY
        self.backlog_since = 0.0
        # When the stream last took bytes of a backlog; None while there is none.
        self.progress_at: float | None = None

    def send(self, chunks: Iterable[Chunk]) -> None:
        """Send all of it, now or as soon as the peer takes it. Its Sendables are closed when they are done with."""
        if self._finish_reason is not None:
            drop_chunks(chunks)
            return
        self.queue.add(chunks)
        if self.state is READY:
            self.flush()

    def send_small(self, data: bytes) -> None:
        """`send` of one response of a few bytes, which mostly leaves together with others."""
        if self._finish_reason is not None:
            return
        self.queue.add_small(data)
        if self.state is READY:
            self.flush()

    def finish(self, reason: CloseReason) -> None:
        """Close the connection as soon as everything is sent."""
        self._finish_reason = reason
        if not self.queue.unsent_bytes:
            self._driver.close(reason)

    def begin_collecting(self) -> None:
        if self.state is READY:
            self.state = COLLECTING

    def end_collecting(self) -> None:
        """What was collected leaves now."""
        if self.state is COLLECTING:
            self.state = READY
            if self.queue.unsent_bytes:
                self.flush()

    def flush(self) -> None:
        """Send what the stream takes now."""
        try:
            result = self.queue.flush(self._stream, SEND_BYTES_PER_TURN_MAX)
        except (OSError, OttlaError) as error:
            self._driver.close(error)
            return
        if result is Flush.DRAINED:
            if self.progress_at is not None or self._finish_reason is not None:
                self._after_drain()
        else:
            self._note_backlog(result)

    def _note_backlog(self, result: Flush) -> None:
        now = self._clock.monotonic()
        if self.progress_at is None:
            self.backlog_since = now
        self.progress_at = now
        if result is Flush.BLOCKED:
            self.state = BLOCKED
            self._driver.watch_writable(True)
        elif self.state is not BLOCKED:  # Where it was, the selector says again that the stream takes bytes.
            self.state = NEXT_TURN
            self._driver.schedule_turn()

    def _after_drain(self) -> None:
        if self.progress_at is not None:
            self._driver.watch_writable(False)
            self.progress_at = None
            self.state = READY
        if self._finish_reason is not None:
            self._driver.close(self._finish_reason)
        else:
            self._driver.drained()

    def close(self) -> None:
        """Drop what is unsent."""
        self.state = CLOSED
        # Not the true reason: an exception leads back to here through its traceback, a circle.
        self._finish_reason = "closed"
        self.queue.drop()
        self._driver = NO_DRIVER
