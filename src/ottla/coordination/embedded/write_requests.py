"""Requests that change the tree: bytes to operations. The rules are the tree's (`coordination.planner`)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.coordination.acl import Caller
from ottla.coordination.embedded.client import Client
from ottla.coordination.embedded.jute import Reader
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.embedded.replies import encode_multi_errors, encode_multi_results, encode_result
from ottla.coordination.errors import BadArgumentsError, UnimplementedError, ZooKeeperError
from ottla.coordination.operations import (
    NO_TTL,
    Check,
    Create,
    CreateMode,
    Delete,
    Multi,
    Operation,
    Result,
    SetAcl,
    SetData,
    SingleOperation,
)
from ottla.coordination.planner import MultiFailedError
from ottla.errors import DecodeError

if TYPE_CHECKING:
    from ottla.coordination.embedded.processor import RequestProcessor


class ReconfigDisabledError(ZooKeeperError):
    code = -123


def decode_create(reader: Reader) -> Create:
    return _decode_create(reader, has_ttl=False)


def decode_create_ttl(reader: Reader) -> Create:
    return _decode_create(reader, has_ttl=True)


def _decode_create(reader: Reader, *, has_ttl: bool) -> Create:
    path, data, acl, flags = reader.string(), reader.buffer(), reader.acl(), reader.integer()
    ttl_ms = reader.long() if has_ttl else NO_TTL
    try:
        mode = CreateMode(flags)
    except ValueError:
        raise BadArgumentsError(path) from None
    return Create(path, data, acl, mode, ttl_ms)


def decode_delete(reader: Reader) -> Delete:
    return Delete(reader.string(), reader.integer())


def decode_set_data(reader: Reader) -> SetData:
    return SetData(reader.string(), reader.buffer(), reader.integer())


def decode_set_acl(reader: Reader) -> SetAcl:
    return SetAcl(reader.string(), reader.acl(), reader.integer())


def decode_check(reader: Reader) -> Check:
    return Check(reader.string(), reader.integer())


DECODERS: dict[int, Callable[[Reader], SingleOperation]] = {
    OpCode.CREATE: decode_create,
    OpCode.CREATE2: decode_create,
    OpCode.CREATE_CONTAINER: decode_create,
    OpCode.CREATE_TTL: decode_create_ttl,
    OpCode.DELETE: decode_delete,
    OpCode.SET_DATA: decode_set_data,
    OpCode.SET_ACL: decode_set_acl,
    OpCode.CHECK: decode_check,
}
IN_MULTI = frozenset(DECODERS) - {OpCode.SET_ACL}


def decode_multi(reader: Reader) -> tuple[list[int], Multi]:
    """The kinds and the operations of a multi: each has a header (int type, boolean done, int err) before it."""
    kinds: list[int] = []
    operations: list[SingleOperation] = []
    while True:
        kind, done, _ = reader.integer(), reader.boolean(), reader.integer()
        if done:
            return kinds, Multi(tuple(operations))
        if kind not in IN_MULTI:
            raise DecodeError(f"operation {kind} cannot be in a multi")
        kinds.append(kind)
        operations.append(DECODERS[kind](reader))


def handle_write(kind: int, processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    result = _execute(processor, client, DECODERS[kind](reader))
    assert not isinstance(result, list)
    return encode_result(kind, result)


def handle_multi(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    kinds, multi = decode_multi(reader)
    try:
        results = _execute(processor, client, multi)
    except MultiFailedError as failure:
        return encode_multi_errors(failure.codes)
    assert isinstance(results, list)
    return encode_multi_results(kinds, results)


def handle_reconfig(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    raise ReconfigDisabledError


def handle_unknown(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    raise UnimplementedError


def _execute(processor: "RequestProcessor", client: Client, operation: Operation) -> Result:
    txn = processor.database.tree.plan(operation, Caller(client.session_id, client.identities))
    return processor.commit(txn, client.session_id).result
