"""The buffers of an event loop that its sockets are read into: one that all share, and some for large frames.

A connection that waits for its next request owns no buffer: ten thousand of them cost ten thousand small objects.
What is read is handed on from the shared buffer as memoryviews before the next socket is read. Only bytes that cannot
be handed on yet (a frame that is not complete, a request behind one that is not answered) are kept by the connection,
and `RECEIVE_BYTES` bounds how many it can hold back in that way.

A frame larger than the shared buffer gets a buffer to itself. A few of those are kept for the next such frame: a new
one has to be zeroed first, and its memory is in no cache. Invariant: a buffer is used again only when nobody holds a
view of it any more, which Python itself tells (an exported bytearray cannot change its size).

Where a frame begins in its buffer decides how fast the kernel copies. AMD's processors copy (`rep movsb`) at a ninth of
their speed when the target lies 1 to 15 bytes past the source, counted within a page; and that is how it comes out by
itself: a request begins on a page of the sender's, its frame 4 bytes later, and malloc gives large memory 16 bytes
into a page. A lead puts the frame out of that reach (3 against 30 GB/s here, a fifth of what a produced GB costs).
"""

RECEIVE_BYTES = 32 * 1024

# A buffer fits frames from half of its size on: a small frame must not pin a large buffer, nor the kept ones grow.
KEPT_BUFFERS_MAX = 4
KEPT_BUFFER_BYTES_MAX = 4 * 1024 * 1024
# With malloc's 16 bytes: frames of large buffers begin 128 bytes into a page.
LEAD_BYTES = 112


class ReceiveBuffer:
    __slots__ = ("_kept", "view")

    def __init__(self, size_bytes: int = RECEIVE_BYTES) -> None:
        self.view = memoryview(bytearray(size_bytes))
        self._kept: list[bytearray] = []

    def take_frame(self, size: int) -> memoryview:
        """Room for a frame of `size` bytes. What it holds is whatever stood there before."""
        for index, buffer in enumerate(self._kept):
            if size + LEAD_BYTES <= len(buffer) <= 2 * size:
                del self._kept[index]
                return memoryview(buffer)[LEAD_BYTES : LEAD_BYTES + size]
        return memoryview(bytearray(LEAD_BYTES + size))[LEAD_BYTES:]

    def give_back(self, frame: memoryview) -> None:
        """The frame has been handled. Its memory is kept if it is of use and nobody else has a view of it."""
        buffer = frame.obj
        frame.release()
        if not isinstance(buffer, bytearray) or len(buffer) > KEPT_BUFFER_BYTES_MAX or not _is_free(buffer):
            return
        self._kept.append(buffer)
        if len(self._kept) > KEPT_BUFFERS_MAX:
            del self._kept[0]


def _is_free(buffer: bytearray) -> bool:
    """Whether no view of it is left: only then does a bytearray change its size. (One less, one more: no copy.)"""
    try:
        buffer.append(buffer.pop())
    except BufferError:
        return False
    return True
