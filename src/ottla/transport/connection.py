"""A connection: frames in, a queue of bytes and file ranges out. The same class for servers and clients.

Theory of operation
  A `FrameReader` and a `ChunkWriter` are state machines over one `ByteStream`; this class drives them. It registers the
  stream with the event loop, gives both their turns, and closes all of it. Each half says what it waits for:
    readable     the reader wants bytes
    writable     the writer has a backlog, or the stream must write before it can read
    a turn       more is to be done than one connection may do in a turn of the loop
  epoll is told only of real changes: pausing is a flag, and the reader is taken off when data comes in spite of it.
  The ordinary request costs one recv and one send.

Invariant: `on_closed` is called exactly once, whatever happens; after it no other callback is.
"""

import asyncio
import socket
from collections.abc import Callable, Iterable

from ottla.clock import Clock
from ottla.transport.byte_stream import ByteStream, CloseReason, PlainStream
from ottla.transport.chunk_writer import NEXT_TURN, ChunkWriter
from ottla.transport.coalesced_reads import UnhurriedReaders
from ottla.transport.frame_reader import END_OF_STREAM, FRAME_ROOM_BYTES, FRAMES_PER_TURN_MAX, FrameGate, FrameReader
from ottla.transport.frames import MESSAGE_SIZE_MAX_DEFAULT
from ottla.transport.receive_buffer import ReceiveBuffer
from ottla.transport.write_queue import Chunk

__all__ = ["END_OF_STREAM", "FRAMES_PER_TURN_MAX", "FRAME_ROOM_BYTES", "CloseReason", "Connection", "FrameGate"]


class Connection:
    __slots__ = (
        "_gate",
        "_loop",
        "_on_closed",
        "_reader",
        "_reader_on",
        "_stream",
        "_turn_scheduled",
        "_unhurried",
        "_writer",
        "_writer_on",
        "closed",
        "send",
        "send_small",
    )

    def __init__(
        self,
        stream: socket.socket | ByteStream,
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
        self._stream = PlainStream(stream) if isinstance(stream, socket.socket) else stream
        self._loop = loop
        self._gate = gate
        self._on_closed = on_closed
        self._unhurried: UnhurriedReaders | None = None
        self._turn_scheduled = self._reader_on = self._writer_on = False
        self.closed = False
        self._writer = ChunkWriter(self._stream, self, clock)
        # The writer's own: a call for each response is saved.
        self.send: Callable[[Iterable[Chunk]], None] = self._writer.send
        self.send_small: Callable[[bytes], None] = self._writer.send_small
        self._reader = FrameReader(
            self._stream,
            self,
            self._writer,
            on_frame,
            receive_buffer=receive_buffer,
            clock=clock,
            frame_size_max=frame_size_max,
            gate=gate,
            read_while_sending=read_while_sending,
        )

    def start(self) -> None:
        """Begin to read. Before it nothing is received, but `send` works."""
        self.watch_readable(True)

    # Writing

    def finish(self, reason: CloseReason) -> None:
        """Close as soon as everything is sent. Nothing more is read."""
        self._reader.pause()
        self._writer.finish(reason)

    @property
    def unsent_bytes(self) -> int:
        return self._writer.queue.unsent_bytes

    @property
    def bytes_sent(self) -> int:
        return self._writer.queue.sent_bytes

    @property
    def send_progress_at(self) -> float | None:
        """When the stream last took bytes of a backlog; None while everything that was flushed has been sent."""
        return self._writer.progress_at

    @property
    def backlog_since(self) -> float:
        return self._writer.backlog_since

    # Reading

    def pause_reading(self) -> None:
        """Hand over no more frames until `resume_reading`."""
        self._reader.pause()

    def resume_reading(self) -> None:
        self._reader.resume()

    def admit_frame(self) -> None:
        """What the gate refused before may start now; the gate has counted it."""
        self._reader.admit_frame()

    def read_unhurried(self, readers: UnhurriedReaders | None) -> None:
        """Wait for what comes next with others that are in no hurry; None: at once, as is usual."""
        if readers is not self._unhurried:
            was_on = self._reader_on
            self.watch_readable(False)
            self._unhurried = readers
            self.watch_readable(was_on)

    @property
    def reading_paused(self) -> bool:
        return self._reader.paused

    @property
    def bytes_received(self) -> int:
        return self._reader.bytes_received

    @property
    def frame_filled_bytes(self) -> int:
        return self._reader.filled_bytes

    @property
    def frame_started_at(self) -> float | None:
        return self._reader.started_at

    # What the reader and the writer ask for (StreamDriver)

    def schedule_turn(self) -> None:
        if not self._turn_scheduled:
            self._turn_scheduled = True
            self._loop.call_soon(self._on_turn)

    def _on_turn(self) -> None:
        self._turn_scheduled = False
        if self._writer.state is NEXT_TURN:
            self._writer.flush()
        self._reader.take_turn()

    def watch_readable(self, on: bool) -> None:
        if on is self._reader_on or self.closed:
            return
        self._reader_on = on
        readers = self._loop if self._unhurried is None else self._unhurried
        if on:
            readers.add_reader(self._stream.fileno(), self._reader.on_readable)
        else:
            readers.remove_reader(self._stream.fileno())

    def watch_writable(self, on: bool) -> None:
        if on or not self._reader.waits_to_write:
            self._set_writable(on)

    def _set_writable(self, on: bool) -> None:
        if on is self._writer_on or self.closed:
            return
        self._writer_on = on
        if on:
            self._loop.add_writer(self._stream.fileno(), self._on_writable)
        else:
            self._loop.remove_writer(self._stream.fileno())

    def _on_writable(self) -> None:
        if self._reader.waits_to_write:
            self._reader.on_writable()
            if self._writer.progress_at is None:
                self.watch_writable(False)
        if self._writer.progress_at is not None:
            self._writer.flush()

    def drained(self) -> None:
        if self._gate is not None:
            self._gate.drained()
        self._reader.read_on()

    # Closing

    def close(self, reason: CloseReason) -> None:
        """Close now. What is unsent is dropped. Does nothing the second time."""
        if self.closed:
            return
        self.watch_readable(False)
        self._set_writable(False)
        self.closed = True
        self._writer.close()
        self._reader.close()
        self._stream.close()
        on_closed, self._on_closed, self._gate = self._on_closed, _ignore_closed, None
        on_closed(reason)


def _ignore_closed(_: CloseReason) -> None:
    """In place of the callback, which was called."""
