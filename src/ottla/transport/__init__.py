"""Step 1 of the path: bytes between sockets and frames.

    frames           the four bytes before every message, and which sizes are refused
    receive_buffer   the one buffer of an event loop that sockets are read into
    byte_stream      what a connection reads from and writes to: a plain socket, later TLS
    frame_reader     the receiving half of a connection: bytes in, frames out
    chunk_writer     the sending half: chunks in, bytes out, as fast as the stream takes them
    write_queue      what is still to be sent: bytes and Sendables (file ranges, by sendfile)
    connection       the Connection: drives both halves on an event loop
    coalesced_reads  sockets whose requests may wait for a moment
    outgoing         opens a socket, or a connection, to another process
    acceptor         a listening socket, and what happens when there is no room for more connections
    selector         epoll, with as little as possible between it and an event loop
    event_loop       the loop that a broker runs on, which measures its turns

Server and clients use the same Connection. Nothing here knows what a message means.
"""

from ottla.transport.coalesced_reads import UnhurriedReaders
from ottla.transport.connection import Connection, FrameGate
from ottla.transport.outgoing import open_connection, open_socket
from ottla.transport.receive_buffer import ReceiveBuffer

__all__ = ["Connection", "FrameGate", "ReceiveBuffer", "UnhurriedReaders", "open_connection", "open_socket"]
