"""The payload of one frame of the transaction log.

    OFFSET SIZE FIELD
    0      8    zxid       one more than the transaction before it
    8      8    time       ms since 1970, by the server's wall clock
    16     8    session    on whose behalf; 0 for the server itself
    24     8    durable    the last zxid that was known to be on disk when this was written
    32     4    type       the operation's number in ZooKeeper's protocol
    36     n    body       by type, in jute types:

    type               body
    createSession -10  int timeout_ms, buffer password
    closeSession  -11  (empty)
    create          1  ustring path, buffer data, acl, long ephemeral_owner, int parent_creations
    delete          2  ustring path
    setData         5  ustring path, buffer data, int version
    setACL          7  ustring path, acl, int version
    check          13  ustring path
    multi          14  int count, then for each: int type, body

`durable` is what tells a torn tail from a damaged log: whoever finds a later transaction that names a lost one as
durable has lost something that was acknowledged.
"""

import struct
from typing import NamedTuple

from ottla.coordination.embedded.jute import Reader, encode_acl, encode_buffer, encode_int, encode_long, encode_string
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.operations import (
    CheckTxn,
    CloseSessionTxn,
    CreateSessionTxn,
    CreateTxn,
    DeleteTxn,
    MultiTxn,
    SetAclTxn,
    SetDataTxn,
    SingleTxn,
    Txn,
)
from ottla.errors import DecodeError

_HEADER = struct.Struct(">qqqqi")


class LoggedTxn(NamedTuple):
    zxid: int
    time_ms: int
    session_id: int
    txn: Txn


def encode_logged_txn(logged: LoggedTxn, durable_zxid: int) -> bytes:
    kind, body = _encode(logged.txn)
    return _HEADER.pack(logged.zxid, logged.time_ms, logged.session_id, durable_zxid, kind) + body


def decode_logged_txn(payload: bytes) -> tuple[LoggedTxn, int]:
    """The transaction, and the zxid that was durable when it was written."""
    if len(payload) < _HEADER.size:
        raise DecodeError("a transaction without its header")
    zxid, time_ms, session_id, durable_zxid, kind = _HEADER.unpack_from(payload)
    txn = _decode(kind, Reader(payload, _HEADER.size))
    return LoggedTxn(zxid, time_ms, session_id, txn), durable_zxid


def _encode(txn: Txn) -> tuple[int, bytes]:
    match txn:
        case CreateSessionTxn(timeout_ms, password):
            return OpCode.CREATE_SESSION, encode_int(timeout_ms) + encode_buffer(password)
        case CloseSessionTxn():
            return OpCode.CLOSE_SESSION, b""
        case MultiTxn(txns):
            return OpCode.MULTI, encode_int(len(txns)) + b"".join(_encode_part(part) for part in txns)
        case _:
            return _encode_single(txn)


def _encode_part(txn: SingleTxn) -> bytes:
    kind, body = _encode_single(txn)
    return encode_int(kind) + body


def _encode_single(txn: SingleTxn) -> tuple[int, bytes]:
    path = encode_string(txn.path)
    match txn:
        case CreateTxn(_, data, acl, owner, parent_creations):
            rest = encode_acl(acl) + encode_long(owner) + encode_int(parent_creations)
            return OpCode.CREATE, path + encode_buffer(data) + rest
        case DeleteTxn():
            return OpCode.DELETE, path
        case SetDataTxn(_, data, version):
            return OpCode.SET_DATA, path + encode_buffer(data) + encode_int(version)
        case SetAclTxn(_, acl, version):
            return OpCode.SET_ACL, path + encode_acl(acl) + encode_int(version)
        case CheckTxn():
            return OpCode.CHECK, path


def _decode(kind: int, reader: Reader) -> Txn:
    if kind == OpCode.CREATE_SESSION:
        return CreateSessionTxn(reader.integer(), reader.buffer() or b"")
    if kind == OpCode.CLOSE_SESSION:
        return CloseSessionTxn()
    if kind == OpCode.MULTI:
        return MultiTxn(tuple(_decode_single(reader.integer(), reader) for _ in range(reader.integer())))
    return _decode_single(kind, reader)


def _decode_single(kind: int, reader: Reader) -> SingleTxn:
    path = reader.string()
    match kind:
        case OpCode.CREATE:
            return CreateTxn(path, reader.buffer(), reader.acl(), reader.long(), reader.integer())
        case OpCode.DELETE:
            return DeleteTxn(path)
        case OpCode.SET_DATA:
            return SetDataTxn(path, reader.buffer(), reader.integer())
        case OpCode.SET_ACL:
            return SetAclTxn(path, reader.acl(), reader.integer())
        case OpCode.CHECK:
            return CheckTxn(path)
        case _:
            raise DecodeError(f"transaction of unknown type {kind}")
