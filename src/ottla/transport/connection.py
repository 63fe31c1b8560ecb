"""A non-blocking socket: frames in, a queue of bytes and file ranges out. The same class for servers and clients.

Theory of operation
  Reading. A readable socket is read once per turn of the loop, into the loop's shared ReceiveBuffer, and once more
  where a large frame has filled it. Every frame that is complete there goes to `on_frame` as a memoryview that is
  valid only during the call. The rest is one of
    prefix    fewer bytes than it takes to know the frame's size and API key: kept, the next read goes behind it
    frame     an incomplete frame that the gate admitted: a private buffer, read into directly. It has room for all of
              an ordinary frame. A larger one must fill that first; then the gate is asked again, and the room doubles
              whenever it is full: a size is only announced, and announcing costs a stranger nothing
    leftover  frames that may not be handed over now: `on_frame` returned False, reading is paused, the gate said no,
              or this connection had its share of the turn. Nothing is read while there is a leftover.
  Writing. `send` tries the socket at once. What the socket does not take waits for EPOLLOUT; what is over the budget
  of a turn waits for the next turn, so that a reader of gigabytes delays nobody. While frames are being handed over
  answers are collected and leave together. A server (`read_while_sending=False`) handles no frame while an answer is
  unsent: a peer that does not read its answers is not read from.
  epoll is told only of real changes: pausing is a flag, and the reader is taken off when data comes in spite of it.
  The ordinary request costs one recv and one send.

Invariants: at most one of prefix, frame, leftover is set. `on_closed` is called exactly once, whatever happens; after
it no other callback is. A frame whose start the gate accepted is given back to it exactly once (`frame_finished`).

TLS will take the place of `sock`: only recv_into, send, sendmsg, fileno and close are used of it, and a Sendable can
`read` what it cannot `send_to` an encrypted socket.
"""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterable
from typing import Protocol

from ottla.clock import Clock
from ottla.errors import OttlaError, PeerError
from ottla.transport.coalesced_reads import UnhurriedReaders
from ottla.transport.frames import (
    API_KEY,
    API_KEY_BYTES,
    FRAME_SIZE,
    MESSAGE_SIZE_MAX_DEFAULT,
    MESSAGE_SIZE_MIN,
    SIZE_BYTES,
    frame_size_error,
)
from ottla.transport.receive_buffer import ReceiveBuffer
from ottla.transport.write_queue import Chunk, Flush, WriteQueue, drop_chunks

logger = logging.getLogger(__name__)

# What one connection may send, receive into a private buffer, or have handled before others get their turn. An answer
# with the megabyte that consumers ask of a partition by default leaves in one turn, with what stands around it.
SEND_BYTES_PER_TURN_MAX = (1024 + 64) * 1024
RECEIVE_BYTES_PER_TURN_MAX = 512 * 1024
FRAMES_PER_TURN_MAX = 64
# A request of Kafka's producers has a megabyte by default, and what stands around its records.
FRAME_ROOM_BYTES = 2 * 1024 * 1024
# Answers that are collected while the frames of one read are handled.
COLLECTED_BYTES_MAX = 64 * 1024

END_OF_STREAM = "closed by the peer"

CloseReason = str | Exception


class FrameGate(Protocol):
    """What a server asks before it receives a frame, and is told about the connection's slow moments."""

    def frame_started(self, size: int, api_key: int) -> bool:
        """Whether an incomplete frame may have a buffer now. After False: `admit_frame` or `resume_reading`, later."""
        ...

    def frame_grows(self, size: int) -> bool:
        """Whether a frame that has filled FRAME_ROOM_BYTES may have the rest of its size. After False: as above."""
        ...

    def frame_finished(self) -> None:
        """The frame that was started has been handled, or its connection is gone."""
        ...

    def frame_incomplete(self) -> None:
        """The first bytes of a frame have come and the others have not."""
        ...

    def frames_handled(self) -> None:
        """What one read brought has been handled; its answers leave after this."""
        ...

    def drained(self) -> None:
        """The last of what could not be sent at once has been sent."""
        ...


class Connection:
    __slots__ = (
        "_admitted",
        "_collecting",
        "_finish_reason",
        "_frame",
        "_frame_grows",
        "_frame_size",
        "_frame_size_max",
        "_gate",
        "_leftover",
        "_on_closed",
        "_on_frame",
        "_paused",
        "_prefix",
        "_read_while_sending",
        "_reader_on",
        "_receive_buffer",
        "_sock",
        "_turn_scheduled",
        "_unhurried",
        "_writer_on",
        "_writes",
        "backlog_since",
        "bytes_received",
        "clock",
        "closed",
        "frame_filled_bytes",
        "frame_started_at",
        "loop",
        "send_progress_at",
    )

    def __init__(
        self,
        sock: socket.socket,
        loop: asyncio.AbstractEventLoop,
        on_frame: Callable[[memoryview], bool | None],
        on_closed: Callable[[CloseReason], None],
        *,
        receive_buffer: ReceiveBuffer,
        clock: Clock,
        frame_size_max: int = MESSAGE_SIZE_MAX_DEFAULT,
        gate: FrameGate | None = None,
        read_while_sending: bool = True,
    ) -> None:
        self._sock = sock
        self.loop = loop
        self.clock = clock
        self._on_frame = on_frame
        self._on_closed = on_closed
        self._gate = gate
        self._receive_buffer = receive_buffer
        self._frame_size_max = frame_size_max
        self._read_while_sending = read_while_sending
        self._writes = WriteQueue()
        self._prefix = b""
        self._frame: memoryview | None = None
        self._frame_size = 0
        self._frame_grows = False
        self._leftover: memoryview | None = None
        self._admitted = self._paused = self._collecting = False
        self._turn_scheduled = self._reader_on = self._writer_on = False
        self._unhurried: UnhurriedReaders | None = None
        self._finish_reason: CloseReason | None = None
        self.closed = False
        self.bytes_received = 0
        self.frame_filled_bytes = 0
        self.frame_started_at: float | None = None
        # When the socket last took bytes of a backlog; None while everything that was flushed has been sent.
        self.send_progress_at: float | None = None
        self.backlog_since = 0.0

    def start(self) -> None:
        """Begin to read. Before it nothing is received, but `send` works."""
        self._set_reader(True)

    @property
    def unsent_bytes(self) -> int:
        return self._writes.unsent_bytes

    @property
    def bytes_sent(self) -> int:
        return self._writes.sent_bytes

    @property
    def reading_paused(self) -> bool:
        return self._paused

    # Writing

    def send(self, chunks: Iterable[Chunk]) -> None:
        """Send all of it, now or as soon as the peer takes it. Its Sendables are closed when they are done with."""
        if self.closed or self._finish_reason is not None:
            drop_chunks(chunks)
            return
        self._writes.add(chunks)
        if not self._collecting and self.send_progress_at is None:
            self._flush()

    def send_small(self, data: bytes) -> None:
        """`send` of one answer of a few bytes, which mostly leaves together with others."""
        if self.closed or self._finish_reason is not None:
            return
        self._writes.add_small(data)
        if not self._collecting and self.send_progress_at is None:
            self._flush()

    def finish(self, reason: CloseReason) -> None:
        """Close as soon as everything is sent. Nothing more is read."""
        self._paused = True
        self._finish_reason = reason
        if not self._writes.unsent_bytes:
            self.close(reason)

    def _flush(self) -> None:
        try:
            result = self._writes.flush(self._sock, SEND_BYTES_PER_TURN_MAX)
        except (OSError, OttlaError) as error:
            self.close(error)
            return
        if result is Flush.DRAINED:
            if self.send_progress_at is not None or self._finish_reason is not None:
                self._after_drain()
            return
        now = self.clock.monotonic()
        if self.send_progress_at is None:
            self.backlog_since = now
        self.send_progress_at = now
        if result is Flush.BLOCKED:
            self._set_writer(True)
        elif not self._writer_on:
            self._schedule_turn()

    def _after_drain(self) -> None:
        self._set_writer(False)
        self.send_progress_at = None
        if self._finish_reason is not None:
            self.close(self._finish_reason)
            return
        if self._gate is not None:
            self._gate.drained()
        self._read_on()

    # Reading

    def pause_reading(self) -> None:
        """Hand over no more frames until `resume_reading`."""
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        self._read_on()

    def admit_frame(self) -> None:
        """What the gate refused before may start now; the gate has counted it."""
        self._admitted = True
        self.resume_reading()

    def read_unhurried(self, readers: UnhurriedReaders | None) -> None:
        """Wait for what comes next with others that are in no hurry; None: at once, as is usual."""
        if readers is not self._unhurried:
            was_on = self._reader_on
            self._set_reader(False)
            self._unhurried = readers
            self._set_reader(was_on)

    def _must_wait(self) -> bool:
        """Whether frames may not be handed over now."""
        return self.closed or self._paused or (self.send_progress_at is not None and not self._read_while_sending)

    def _read_on(self) -> None:
        """Go on reading as far as nothing forbids it. Never hands over a frame itself: callers are in any state."""
        if self._collecting or self._must_wait():
            return
        if self._leftover is not None:
            self._schedule_turn()
        else:
            self._set_reader(True)

    def _on_readable(self) -> None:
        if self._leftover is not None or self._must_wait():
            self._set_reader(False)
        elif self._frame is not None:
            self._fill_frame(self._frame)
        else:
            self._receive()

    def _receive(self) -> None:
        """Read once into the shared buffer, behind the prefix of a frame where there is one."""
        view = self._receive_buffer.view
        start = len(self._prefix)
        if start:
            view[:start] = self._prefix
        try:
            count = self._sock.recv_into(view[start:] if start else view)
        except BlockingIOError:
            return
        except OSError as error:
            self.close(error)
            return
        if not count:
            self.close(END_OF_STREAM)
            return
        self.bytes_received += count
        self._prefix = b""
        self._consume(view[: start + count])
        if self._frame is not None and start + count == len(view) and not self._must_wait():
            self._fill_frame(self._frame)  # There is nearly always more where this came from.

    def _fill_frame(self, frame: memoryview) -> None:
        filled = self.frame_filled_bytes
        if filled == len(frame):
            if not self._may_grow():
                return
            frame = self._grow_frame(frame)
        try:
            count = self._sock.recv_into(frame[filled : filled + RECEIVE_BYTES_PER_TURN_MAX])
        except BlockingIOError:
            return
        except OSError as error:
            self.close(error)
            return
        if not count:
            self.close(END_OF_STREAM)
            return
        self.bytes_received += count
        self.frame_filled_bytes = filled + count
        if filled + count == self._frame_size:
            self._frame_completed(frame)

    def _may_grow(self) -> bool:
        """Whether a frame that has filled its room may have more. It is asked once, for all that it will take."""
        if self._frame_grows or self._gate is None:
            return True
        if self._admitted:
            self._admitted = False
            self._mark_incomplete()
        elif not self._gate.frame_grows(self._frame_size):
            self._paused = True
            self.frame_started_at = None  # It is not its sender who lets it wait.
            return False
        self._frame_grows = True
        return True

    def _grow_frame(self, frame: memoryview) -> memoryview:
        filled = len(frame)
        self._frame = grown = self._receive_buffer.take_frame(min(self._frame_size, 2 * filled))
        grown[:filled] = frame
        self._receive_buffer.give_back(frame)
        return grown

    def _frame_completed(self, frame: memoryview) -> None:
        self._collecting = True
        try:
            if self._on_frame(frame) is False:
                raise RuntimeError("a frame was refused whose start was admitted")
        except PeerError as error:
            self.close(error)
        except Exception as error:  # noqa: BLE001 - a bug in a handler ends this connection, not the loop
            self._close_after_bug(error)
        finally:
            self._collecting = False
        self._release_frame()
        self._receive_buffer.give_back(frame)
        self._send_collected()

    def _consume(self, view: memoryview) -> None:
        """Hand over the frames in `view` and keep what is left of it."""
        self._collecting = True
        try:
            position, wanted_size = self._hand_over(view)
            if position:
                self.frame_started_at = None
            if not self.closed and position < len(view):
                self._keep(view[position:], wanted_size)
        except PeerError as error:
            self.close(error)
        except Exception as error:  # noqa: BLE001 - a bug in a handler ends this connection, not the loop
            self._close_after_bug(error)
        finally:
            self._collecting = False
        self._send_collected()

    def _send_collected(self) -> None:
        try:
            if self._gate is not None:
                self._gate.frames_handled()
        finally:
            if self._writes.unsent_bytes and self.send_progress_at is None:
                self._flush()

    def _hand_over(self, view: memoryview) -> tuple[int, int]:
        """Give complete frames to `on_frame`. Where the rest begins, and the size of an incomplete frame there.

        A size of 0 means that the rest begins with too few bytes, -1 that it must wait.
        """
        position = 0
        end = len(view)
        on_frame = self._on_frame
        for _ in range(FRAMES_PER_TURN_MAX):
            body = position + SIZE_BYTES
            if body > end:
                return position, 0
            size: int = FRAME_SIZE.unpack_from(view, position)[0]
            if not MESSAGE_SIZE_MIN <= size <= self._frame_size_max:
                raise frame_size_error(size, self._frame_size_max)
            frame_end = body + size
            if frame_end > end:
                return position, size
            if on_frame(view[body:frame_end]) is False:
                self._paused = True
                return position, -1
            position = frame_end
            if self._writes.unsent_bytes > COLLECTED_BYTES_MAX and self.send_progress_at is None:
                self._flush()
            if self._must_wait():
                return position, -1
        self._schedule_turn()
        return position, -1

    def _keep(self, rest: memoryview, wanted_size: int) -> None:
        if wanted_size < 0:
            self._keep_leftover(rest)
        elif not wanted_size or len(rest) < SIZE_BYTES + API_KEY_BYTES:
            self._prefix = bytes(rest)
            self._mark_incomplete()
        elif self._admit(rest, wanted_size):
            self._start_frame(rest[SIZE_BYTES:], wanted_size)
        else:
            self._paused = True
            self._keep_leftover(rest)

    def _keep_leftover(self, rest: memoryview) -> None:
        """Keep frames for later. Those of the shared buffer must be copied, since other sockets are read into it."""
        self.frame_started_at = None
        shared = rest.obj is self._receive_buffer.view.obj
        self._leftover = memoryview(bytes(rest)) if shared else rest

    def _admit(self, rest: memoryview, size: int) -> bool:
        if self._gate is None or self._admitted:
            self._admitted = False
            return True
        return self._gate.frame_started(size, API_KEY.unpack_from(rest, SIZE_BYTES)[0])

    def _start_frame(self, begin: memoryview, size: int) -> None:
        room = size if self._gate is None else min(size, FRAME_ROOM_BYTES)
        self._frame = frame = self._receive_buffer.take_frame(room)
        self._frame_size = size
        self._frame_grows = False
        frame[: len(begin)] = begin
        self.frame_filled_bytes = len(begin)
        self._mark_incomplete()

    def _mark_incomplete(self) -> None:
        if self.frame_started_at is None:
            self.frame_started_at = self.clock.monotonic()
            if self._gate is not None:
                self._gate.frame_incomplete()

    def _release_frame(self) -> None:
        frame, self._frame = self._frame, None
        self.frame_started_at = None
        self.frame_filled_bytes = 0
        if frame is not None and self._gate is not None:
            self._gate.frame_finished()

    # Turns and epoll

    def _schedule_turn(self) -> None:
        if not self._turn_scheduled:
            self._turn_scheduled = True
            self.loop.call_soon(self._on_turn)

    def _on_turn(self) -> None:
        self._turn_scheduled = False
        if self.closed:
            return
        if self.send_progress_at is not None and not self._writer_on:
            self._flush()
        if self._leftover is not None and not self._must_wait():
            rest, self._leftover = self._leftover, None
            self._consume(rest)
        self._read_on()

    def _set_reader(self, on: bool) -> None:
        if on is self._reader_on or self.closed:
            return
        self._reader_on = on
        readers = self.loop if self._unhurried is None else self._unhurried
        if on:
            readers.add_reader(self._sock.fileno(), self._on_readable)
        else:
            readers.remove_reader(self._sock.fileno())

    def _set_writer(self, on: bool) -> None:
        if on is self._writer_on or self.closed:
            return
        self._writer_on = on
        if on:
            self.loop.add_writer(self._sock.fileno(), self._flush)
        else:
            self.loop.remove_writer(self._sock.fileno())

    # Closing

    def close(self, reason: CloseReason) -> None:
        """Close now. What is unsent is dropped. Does nothing the second time."""
        if self.closed:
            return
        self._set_reader(False)
        self._set_writer(False)
        self.closed = True
        self._writes.drop()
        self._leftover = None
        self._prefix = b""
        self._release_frame()
        self._sock.close()
        self._on_closed(reason)
        # Whoever has this connection is mostly who made the callbacks: a circle that only the collector would find.
        self._gate = None
        self._on_frame = self._on_closed = _not_any_more

    def _close_after_bug(self, error: Exception) -> None:
        logger.error("connection closed by an error that nobody handled", exc_info=error)
        self.close(error)


def _not_any_more(_: object) -> None:
    """What is called of a connection that is closed: nothing is."""
