"""Records that are not in the page cache are brought in before the loop sends them, and ahead of who reads in order.

A reader that goes on where it stopped gets a stream: the thread of its log directory reads a few megabytes in front of
it, so that the disk works while the socket and the consumer do. The first cold read of a reader brings in no more than
what it asked for. Streams are found by the place at which the next read must begin; whoever comes to another place
has none. They hold no file open and are few: the one that was not used for longest is forgotten. When the disk fails,
all who wait in that stream are told; the slice itself has told its log directory.

Everything here runs on the loop, except the reading itself (`disk.read_ahead`).
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from ottla.disk.file_slice import FileSlice
from ottla.disk.log_file import LogFile
from ottla.disk.read_ahead import ReadAhead
from ottla.errors import OttlaError

# As many bytes in one call as a consumer asks of a partition by default.
CHUNK_BYTES = 1024 * 1024
AHEAD_BYTES = 4 * CHUNK_BYTES
STREAMS_MAX = 256

Ready = Callable[[OttlaError | None], None]


class Stream:
    """One reader: bytes up to `read_end` were brought in, those up to `asked_end` are on their way."""

    __slots__ = ("asked_end", "read_end", "waiting")

    def __init__(self, position: int) -> None:
        self.asked_end = position
        self.read_end = position
        self.waiting: list[tuple[int, Ready]] = []

    def note_read(self, end: int, error: OttlaError | None) -> None:
        self.read_end = end
        served_end = end if error is None else self.asked_end  # After a failure there is nothing left to wait for.
        ready = [pair[1] for pair in self.waiting if pair[0] <= served_end]
        self.waiting = [pair for pair in self.waiting if pair[0] > served_end]
        for call in ready:
            call(error)


class ColdReads:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._readers: dict[str, ReadAhead] = {}
        self._streams: OrderedDict[tuple[LogFile, int], Stream] = OrderedDict()

    def is_ready(self, piece: FileSlice) -> bool:
        """Whether `piece` can be sent now; if not, `bring_in` it. What follows a piece of a stream is read ahead."""
        stream = self._streams.get((piece.file, piece.position)) if self._streams else None
        if (stream is not None and stream.read_end < piece.end) or not piece.is_cached():
            return False
        if stream is not None:
            self._go_on(stream, piece, AHEAD_BYTES)
        return True

    def bring_in(self, piece: FileSlice, ready: Ready) -> None:
        """Read what is not ready. `ready` is called once it can be sent, or cannot be; keep it open until then."""
        stream = self._streams.get((piece.file, piece.position))
        ahead = AHEAD_BYTES if stream is not None else 0
        if stream is None or stream.read_end >= piece.end:  # Here for the first time, or read and forgotten again.
            stream = Stream(piece.position)
        stream.waiting.append((piece.end, ready))
        self._go_on(stream, piece, ahead)

    def _go_on(self, stream: Stream, piece: FileSlice, ahead: int) -> None:
        """The reader takes `piece`: read what it lacks and what comes next, and wait for it at its end."""
        if stream.asked_end - piece.end <= ahead // 2:
            self._ask(stream, piece.file, max(piece.end, min(piece.end + ahead, piece.file.size)))
        self._streams.pop((piece.file, piece.position), None)
        self._streams[piece.file, piece.end] = stream
        if len(self._streams) > STREAMS_MAX:
            self._streams.popitem(last=False)

    def close(self) -> None:
        for reader in self._readers.values():
            reader.close()

    def _ask(self, stream: Stream, file: LogFile, end: int) -> None:
        reader = self._reader_for(file)
        while stream.asked_end < end:
            chunk = FileSlice(file, stream.asked_end, min(CHUNK_BYTES, end - stream.asked_end))
            stream.asked_end = chunk.end
            reader.request(chunk, self._when_read(stream, chunk))

    def _when_read(self, stream: Stream, chunk: FileSlice) -> Callable[[OttlaError | None], None]:
        def on_loop(error: OttlaError | None) -> None:
            chunk.close()
            stream.note_read(chunk.end, error)

        def in_thread(error: OttlaError | None) -> None:
            self._loop.call_soon_threadsafe(on_loop, error)

        return in_thread

    def _reader_for(self, file: LogFile) -> ReadAhead:
        directory = file.directory.path
        reader = self._readers.get(directory)
        if reader is None:
            reader = self._readers[directory] = ReadAhead(directory)
        return reader
