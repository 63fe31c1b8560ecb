"""A whole database in one file, `snapshot.<zxid of its last transaction, 16 hex digits>`.

A file header (`framing`), then frames. The first byte of a frame's payload says what it holds:

    `H`  long zxid
    `S`  one session:  long id, int timeout_ms, buffer password
    `N`  a run of nodes, each: ustring path, buffer data, acl, long czxid, mzxid, ctime, mtime,
         int version, creations, aversion, long ephemeral_owner, pzxid
    `E`  long count of sessions, long count of nodes: the end

Without its end frame, or with any frame that does not check, a file is no snapshot; since the file gets its name only
after an fsync, that happens by damage alone. `encode_snapshot` yields small pieces, so that a large tree is written
without holding up the event loop: the view does not change meanwhile.
"""

import struct
from collections.abc import Iterator

from ottla.coordination.acl import AclList
from ottla.coordination.embedded.database import DatabaseView, SessionRecord
from ottla.coordination.embedded.framing import encode_file_header, encode_frame, has_file_header, iterate_frames
from ottla.coordination.embedded.jute import Reader, encode_acl, encode_buffer, encode_int, encode_long, encode_string
from ottla.coordination.znode import Node
from ottla.errors import DecodeError

MAGIC = b"OTTLAZKS"
PREFIX = "snapshot."
PIECE_BYTES = 1 << 17
PIECE_NODES = 256

_NUMBERS = struct.Struct(">qqqqiiiqq")


def encode_snapshot(view: DatabaseView) -> Iterator[bytes]:
    """The file, piece by piece."""
    yield encode_file_header(MAGIC) + encode_frame(b"H" + encode_long(view.zxid))
    for session_id, session in view.sessions.items():
        body = encode_long(session_id) + encode_int(session.timeout_ms) + encode_buffer(session.password)
        yield encode_frame(b"S" + body)
    for run in _runs_of_nodes(view.nodes):
        yield encode_frame(b"N" + run)
    yield encode_frame(b"E" + encode_long(len(view.sessions)) + encode_long(len(view.nodes)))


def _runs_of_nodes(nodes: dict[str, Node]) -> Iterator[bytes]:
    run: list[bytes] = []
    size = 0
    for path, node in nodes.items():
        encoded = _encode_node(path, node)
        run.append(encoded)
        size += len(encoded)
        if size >= PIECE_BYTES or len(run) >= PIECE_NODES:
            yield b"".join(run)
            run, size = [], 0
    if run:
        yield b"".join(run)


def _encode_node(path: str, node: Node) -> bytes:
    data, acl, *numbers = node
    return encode_string(path) + encode_buffer(data) + encode_acl(acl) + _NUMBERS.pack(*numbers)


def decode_snapshot(content: bytes) -> DatabaseView:
    """The view that was written; DecodeError if any of it is missing or damaged."""
    if not has_file_header(content, MAGIC):
        raise DecodeError("no snapshot header")
    decoder = _SnapshotDecoder()
    for _, payload in iterate_frames(content):
        decoder.add(payload)
    return decoder.result()


class _SnapshotDecoder:
    def __init__(self) -> None:
        self._zxid = 0
        self._nodes: dict[str, Node] = {}
        self._sessions: dict[int, SessionRecord] = {}
        self._acls: dict[AclList, AclList] = {}
        self._complete = False

    def add(self, payload: bytes) -> None:
        reader = Reader(payload, 1)
        match payload[:1]:
            case b"H":
                self._zxid = reader.long()
            case b"S":
                session_id = reader.long()
                self._sessions[session_id] = SessionRecord(reader.integer(), reader.buffer() or b"")
            case b"N":
                while reader.remaining:
                    self._add_node(reader)
            case b"E":
                self._complete = (reader.long(), reader.long()) == (len(self._sessions), len(self._nodes))
            case kind:
                raise DecodeError(f"frame of unknown kind {kind!r}")

    def _add_node(self, reader: Reader) -> None:
        path, data, acl = reader.string(), reader.buffer(), reader.acl()
        numbers = _NUMBERS.unpack(reader.take(_NUMBERS.size))
        self._nodes[path] = Node(data, self._acls.setdefault(acl, acl), *numbers)

    def result(self) -> DatabaseView:
        if not self._complete:
            raise DecodeError("the end of the snapshot is missing")
        return DatabaseView(self._zxid, self._nodes, self._sessions)
