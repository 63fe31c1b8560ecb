"""The one buffer of an event loop that all its sockets are read into.

A connection that waits for its next request owns no buffer: ten thousand of them cost ten thousand small objects.
What is read is handed on from here as memoryviews before the next socket is read. Only bytes that cannot be handed on
yet (a frame that is not complete, a request behind one that is not answered) are copied to the connection, and
`RECEIVE_BYTES` bounds how many a connection can hold back in that way.
"""

RECEIVE_BYTES = 32 * 1024


class ReceiveBuffer:
    __slots__ = ("view",)

    def __init__(self, size_bytes: int = RECEIVE_BYTES) -> None:
        self.view = memoryview(bytearray(size_bytes))
