"""A ZooKeeper client of a few lines that does nothing by itself: no heartbeat, no reconnect."""

import socket
import struct
from typing import NamedTuple

from ottla.coordination.acl import OPEN_ACL
from ottla.coordination.embedded.jute import Reader, encode_acl, encode_buffer, encode_int, encode_long, encode_string
from ottla.coordination.embedded.opcodes import OpCode


class Reply(NamedTuple):
    xid: int
    zxid: int
    error: int
    body: Reader


class Event(NamedTuple):
    type: int
    path: str


class RawClient:
    def __init__(
        self, port: int, *, timeout_ms: int = 10_000, session: tuple[int, bytes] = (0, bytes(16)), zxid: int = 0
    ):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.events: list[Event] = []
        self._xid = 0
        request = struct.pack(">iqiq", 0, zxid, timeout_ms, session[0]) + encode_buffer(session[1]) + b"\0"
        try:
            self.send_frame(request)
            reader = Reader(self.receive_frame())
        except OSError:
            self.sock.close()
            raise
        reader.integer()
        self.timeout_ms, self.session_id, self.password = reader.integer(), reader.long(), reader.buffer() or b""

    def close(self) -> None:
        self.sock.close()

    def send_frame(self, payload: bytes) -> None:
        self.sock.sendall(encode_int(len(payload)) + payload)

    def send(self, kind: int, body: bytes = b"", xid: int | None = None) -> int:
        if xid is None:
            self._xid += 1
            xid = self._xid
        self.send_frame(encode_int(xid) + encode_int(kind) + body)
        return xid

    def receive_frame(self) -> bytes:
        length = int.from_bytes(self._exactly(4), signed=True)
        return self._exactly(length)

    def receive(self) -> Reply:
        """The next reply; watch events on the way are put aside."""
        while True:
            reader = Reader(self.receive_frame())
            reply = Reply(reader.integer(), reader.long(), reader.integer(), reader)
            if reply.xid != -1:
                return reply
            self.events.append(self._event(reader))

    def receive_event(self) -> Event:
        if not self.events:
            reader = Reader(self.receive_frame())
            assert reader.integer() == -1
            reader.long(), reader.integer()
            self.events.append(self._event(reader))
        return self.events.pop(0)

    def call(self, kind: int, body: bytes = b"") -> Reply:
        xid = self.send(kind, body)
        reply = self.receive()
        assert reply.xid == xid
        return reply

    def create(self, path: str, data: bytes | None = b"", flags: int = 0) -> Reply:
        return self.call(OpCode.CREATE, create_body(path, data, flags))

    def get(self, path: str, *, watch: bool = False) -> Reply:
        return self.call(OpCode.GET_DATA, encode_string(path) + bytes([watch]))

    def set(self, path: str, data: bytes, version: int = -1) -> Reply:
        return self.call(OpCode.SET_DATA, encode_string(path) + encode_buffer(data) + encode_int(version))

    def delete(self, path: str, version: int = -1) -> Reply:
        return self.call(OpCode.DELETE, encode_string(path) + encode_int(version))

    @staticmethod
    def _event(reader: Reader) -> Event:
        kind, _, path = reader.integer(), reader.integer(), reader.string()
        return Event(kind, path)

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.sock.recv(count - len(data))
            if not more:
                raise ConnectionError("closed by the server")
            data += more
        return data


def create_body(path: str, data: bytes | None = b"", flags: int = 0, ttl_ms: int | None = None) -> bytes:
    body = encode_string(path) + encode_buffer(data) + encode_acl(OPEN_ACL) + encode_int(flags)
    return body if ttl_ms is None else body + encode_long(ttl_ms)
