"""The receiving half of a connection: bytes in, frames out.

A readable stream is read once per turn of the loop, into the loop's shared ReceiveBuffer, and once more where a large
frame has filled it. Every frame that is complete there goes to `on_frame` as a memoryview that is valid only during the
call. What is left of the bytes is the state:

    BETWEEN_FRAMES  nothing is left
    IN_PREFIX       fewer bytes than it takes to know the frame's size and API key: the next read goes behind them
    IN_FRAME        an incomplete frame that the gate admitted: it has a buffer of its own and is read into directly.
                    The buffer has room for all of an ordinary frame. A larger one must fill that first; then the gate
                    is asked again, and the room doubles whenever it is full: a size is only announced, and announcing
                    costs a stranger nothing
    HOLDING         frames that may not be handed over now: `on_frame` returned False, reading is paused, the gate said
                    no, or this connection had its share of the turn. Nothing is read in this state
    HANDING_OVER    `on_frame` is being called
    CLOSED          nothing is called any more

Responses are collected while frames are handed over and leave together. A server (`read_while_sending=False`) hands
over no frame while a response is unsent: a peer that does not read its responses is not read from.

Invariant: a frame whose start the gate accepted is given back to it exactly once (`frame_finished`).
"""

import logging
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from ottla.clock import Clock
from ottla.errors import PeerError
from ottla.transport.byte_stream import NO_DRIVER, ByteStream, StreamDriver
from ottla.transport.chunk_writer import COLLECTING, ChunkWriter
from ottla.transport.frames import (
    API_KEY,
    API_KEY_BYTES,
    FRAME_SIZE,
    MESSAGE_SIZE_MIN,
    SIZE_BYTES,
    frame_size_error,
)
from ottla.transport.receive_buffer import ReceiveBuffer

logger = logging.getLogger(__name__)

# What one connection may receive into a buffer of its own, or have handled, before others get their turn.
RECEIVE_BYTES_PER_TURN_MAX = 512 * 1024
FRAMES_PER_TURN_MAX = 64
# A request of Kafka's producers has a megabyte by default, and what stands around its records.
FRAME_ROOM_BYTES = 2 * 1024 * 1024
# Responses that are collected while the frames of one read are handled.
COLLECTED_BYTES_MAX = 64 * 1024

END_OF_STREAM = "closed by the peer"
_NOTHING = b""


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
        """What one read brought has been handled; its responses leave after this."""
        ...

    def drained(self) -> None:
        """The last of what could not be sent at once has been sent."""
        ...


class ReadState(Enum):
    BETWEEN_FRAMES = "between frames"
    IN_PREFIX = "in prefix"
    IN_FRAME = "in frame"
    HOLDING = "holding"
    HANDING_OVER = "handing over"
    CLOSED = "closed"


# As in `chunk_writer`: these are asked for each request.
BETWEEN_FRAMES, IN_PREFIX, IN_FRAME, HOLDING, HANDING_OVER, CLOSED = ReadState


class FrameReader:
    __slots__ = (
        "_admitted",
        "_clock",
        "_driver",
        "_frame",
        "_frame_grant",
        "_frame_size",
        "_frame_size_max",
        "_gate",
        "_held",
        "_on_frame",
        "_read_while_sending",
        "_receive_buffer",
        "_stream",
        "_writer",
        "bytes_received",
        "filled_bytes",
        "paused",
        "started_at",
        "state",
        "waits_to_write",
    )

    def __init__(
        self,
        stream: ByteStream,
        driver: StreamDriver,
        writer: ChunkWriter,
        on_frame: Callable[[memoryview], bool | None],
        *,
        receive_buffer: ReceiveBuffer,
        clock: Clock,
        frame_size_max: int,
        gate: FrameGate | None,
        read_while_sending: bool,
    ) -> None:
        self._stream = stream
        self._driver = driver
        self._writer = writer
        self._on_frame = on_frame
        self._receive_buffer = receive_buffer
        self._clock = clock
        self._frame_size_max = frame_size_max
        self._gate = gate
        self._read_while_sending = read_while_sending
        self.state = BETWEEN_FRAMES
        self.paused = self.waits_to_write = False
        # The gate has admitted, after a refusal, what is asked of it next.
        self._admitted = False
        # The prefix of a frame (IN_PREFIX), or frames that wait (HOLDING).
        self._held: bytes | memoryview = _NOTHING
        # The frame that has a buffer of its own, until it has been handled; its size, and how far it may grow now.
        self._frame: memoryview | None = None
        self._frame_size = self._frame_grant = 0
        self.filled_bytes = 0
        self.bytes_received = 0
        self.started_at: float | None = None

    def _must_wait(self) -> bool:
        """Whether frames may not be handed over now."""
        return (
            self.paused
            or (self._writer.progress_at is not None and not self._read_while_sending)
            or self.state is CLOSED
        )

    def pause(self) -> None:
        """Hand over no more frames until `resume`."""
        self.paused = True

    def admit_frame(self) -> None:
        """What the gate refused before may start now; the gate has counted it."""
        self._admitted = True
        self.resume()

    def resume(self) -> None:
        self.paused = False
        self.read_on()

    def read_on(self) -> None:
        """Go on reading as far as nothing forbids it. Never hands over a frame itself: callers are in any state."""
        if self.state is HANDING_OVER or self._must_wait():
            return
        if self.state is HOLDING or self._must_ask_stream():
            self._driver.schedule_turn()
        else:
            self._driver.watch_readable(True)

    def take_turn(self) -> None:
        """What was left for this turn: frames that wait, or bytes that the stream has pending."""
        if self._must_wait():
            return
        if self.state is HOLDING:
            held, self._held = self._held, _NOTHING
            assert isinstance(held, memoryview), "frames wait as a view"
            self._consume(held)
        elif self._must_ask_stream():
            self.on_readable()
        self.read_on()

    def _must_ask_stream(self) -> bool:
        """Whether the stream has to be read although the selector will not say so."""
        return self._stream.has_pending or (self._stream.wants_write and not self.waits_to_write)

    # Receiving

    def on_readable(self) -> None:
        if self.state is HOLDING or self._must_wait():
            self._driver.watch_readable(False)
            return
        if self._frame is None:
            self._receive()
        else:
            self._fill_frame(self._frame)
        if self._stream.has_pending:
            self.read_on()

    def _receive(self) -> None:
        """Read once into the shared buffer, behind the prefix of a frame where there is one."""
        view = self._receive_buffer.view
        start = len(self._held)
        if start:
            view[:start] = self._held
        try:
            count = self._stream.recv_into(view[start:] if start else view)
        except OSError as error:
            self._receive_failed(error)
            return
        if not count:
            self._driver.close(END_OF_STREAM)
            return
        self.bytes_received += count
        self._held = _NOTHING
        self._consume(view[: start + count])
        if self._frame is not None and start + count == len(view) and not self._must_wait():
            self._fill_frame(self._frame)  # There is nearly always more where this came from.

    def _receive_failed(self, error: OSError) -> None:
        if not isinstance(error, BlockingIOError):
            self._driver.close(error)
        elif self._stream.wants_write:
            self.waits_to_write = True
            self._driver.watch_writable(True)

    def on_writable(self) -> None:
        """The stream can write what it had to before it reads on."""
        self.waits_to_write = False
        self.on_readable()

    # A frame with a buffer of its own

    def _start_frame(self, begin: memoryview, size: int) -> None:
        self._frame_size = size
        self._frame_grant = size if self._gate is None else min(size, FRAME_ROOM_BYTES)
        self._frame = frame = self._receive_buffer.take_frame(self._frame_grant)
        frame[: len(begin)] = begin
        self.filled_bytes = len(begin)
        self.state = IN_FRAME
        self._mark_incomplete()

    def _fill_frame(self, frame: memoryview) -> None:
        filled = self.filled_bytes
        if filled == len(frame):
            if filled == self._frame_grant and not self._may_grow():
                return
            frame = self._grow_frame(frame)
        try:
            count = self._stream.recv_into(frame[filled : filled + RECEIVE_BYTES_PER_TURN_MAX])
        except OSError as error:
            self._receive_failed(error)
            return
        if not count:
            self._driver.close(END_OF_STREAM)
            return
        self.bytes_received += count
        self.filled_bytes = filled + count
        if filled + count == self._frame_size:
            self._complete_frame(frame)

    def _may_grow(self) -> bool:
        """Whether a frame that has filled its room may have more. It is asked once, for all that it will take."""
        assert self._gate is not None, "without a gate a frame has all of its room"
        if self._admitted:
            self._admitted = False
            self._mark_incomplete()
        elif not self._gate.frame_grows(self._frame_size):
            self.paused = True
            self.started_at = None  # It is not its sender who lets it wait.
            return False
        self._frame_grant = self._frame_size
        return True

    def _grow_frame(self, frame: memoryview) -> memoryview:
        filled = len(frame)
        self._frame = grown = self._receive_buffer.take_frame(min(self._frame_size, 2 * filled))
        grown[:filled] = frame
        self._receive_buffer.give_back(frame)
        return grown

    def _complete_frame(self, frame: memoryview) -> None:
        self.state = HANDING_OVER
        self._writer.begin_collecting()
        try:
            if self._on_frame(frame) is False:
                raise RuntimeError("a frame was refused whose start was admitted")
        except Exception as error:  # noqa: BLE001 - see _close_after
            self._close_after(error)
        self._release_frame()
        self._receive_buffer.give_back(frame)
        self._end_hand_over()

    def _mark_incomplete(self) -> None:
        if self.started_at is None:
            self.started_at = self._clock.monotonic()
            if self._gate is not None:
                self._gate.frame_incomplete()

    def _release_frame(self) -> None:
        frame, self._frame = self._frame, None
        self.started_at = None
        self.filled_bytes = 0
        if frame is not None and self._gate is not None:
            self._gate.frame_finished()

    # Frames in the shared buffer

    def _consume(self, view: memoryview) -> None:
        """Hand over the frames in `view` and keep what is left of it."""
        self.state = HANDING_OVER
        self._writer.begin_collecting()
        try:
            position, wanted_size = self._hand_over(view)
            if position:
                self.started_at = None
            if position < len(view) and self.state is not CLOSED:
                self._keep(view[position:], wanted_size)
        except Exception as error:  # noqa: BLE001 - see _close_after
            self._close_after(error)
        self._end_hand_over()

    def _end_hand_over(self) -> None:
        """The responses that were collected leave now."""
        if self.state is HANDING_OVER:
            self.state = BETWEEN_FRAMES
        try:
            if self._gate is not None:
                self._gate.frames_handled()
        finally:
            self._writer.end_collecting()

    def _hand_over(self, view: memoryview) -> tuple[int, int]:
        """Give complete frames to `on_frame`. Where the rest begins, and the size of an incomplete frame there.

        A size of 0 means that the rest begins with too few bytes, -1 that it must wait.
        """
        position = 0
        end = len(view)
        on_frame = self._on_frame
        writer = self._writer
        queue = writer.queue
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
                self.paused = True
                return position, -1
            position = frame_end
            if queue.unsent_bytes > COLLECTED_BYTES_MAX and writer.state is COLLECTING:
                writer.flush()
            if (
                self.paused or self.state is CLOSED or (writer.progress_at is not None and not self._read_while_sending)
            ):  # `_must_wait`, without the call
                return position, -1
        self._driver.schedule_turn()
        return position, -1

    def _keep(self, rest: memoryview, wanted_size: int) -> None:
        if wanted_size < 0:
            self._hold(rest)
        elif not wanted_size or len(rest) < SIZE_BYTES + API_KEY_BYTES:
            self._held = bytes(rest)
            self.state = IN_PREFIX
            self._mark_incomplete()
        elif self._admit(rest, wanted_size):
            self._start_frame(rest[SIZE_BYTES:], wanted_size)
        else:
            self.paused = True
            self._hold(rest)

    def _hold(self, rest: memoryview) -> None:
        """Keep frames for later. Those of the shared buffer must be copied, since other sockets are read into it."""
        self.started_at = None
        shared = rest.obj is self._receive_buffer.view.obj
        self._held = memoryview(bytes(rest)) if shared else rest
        self.state = HOLDING

    def _admit(self, rest: memoryview, size: int) -> bool:
        if self._gate is None or self._admitted:
            self._admitted = False
            return True
        return self._gate.frame_started(size, API_KEY.unpack_from(rest, SIZE_BYTES)[0])

    # Closing

    def _close_after(self, error: Exception) -> None:
        """What a peer sent ends its connection; so does a bug in a handler, and the loop goes on."""
        if not isinstance(error, PeerError):
            logger.error("connection closed by an error that nobody handled", exc_info=error)
        self._driver.close(error)

    def close(self) -> None:
        self.state = CLOSED
        self._held = _NOTHING
        self._release_frame()
        # Whoever has the connection is mostly who made the callbacks: a circle that only the collector would find.
        self._gate = None
        self._on_frame = _ignore_frame
        self._driver = NO_DRIVER


def _ignore_frame(_: memoryview) -> None:
    """In place of the callback of a connection that is closed."""
