"""Requests that only read the tree."""

from typing import TYPE_CHECKING

from ottla.coordination.acl import ADMIN, READ, Caller, hide_digests, permits
from ottla.coordination.embedded.client import Client
from ottla.coordination.embedded.jute import (
    Reader,
    encode_acl,
    encode_boolean,
    encode_buffer,
    encode_int,
    encode_string,
    encode_strings,
)
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.errors import BadArgumentsError, ZooKeeperError
from ottla.errors import DecodeError

if TYPE_CHECKING:
    from ottla.coordination.embedded.processor import RequestProcessor


def handle_ping(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    return b""


def handle_exists(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    """Asks for no permission, and leaves its watch where there is no node, too."""
    path, watch = reader.string(), reader.boolean()
    if "\0" in path:
        raise BadArgumentsError(path)
    if watch:
        processor.watches.data.add(path, client)
    return processor.database.tree.stat(path).encode()


def handle_get_data(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path, watch = reader.string(), reader.boolean()
    tree = processor.database.tree
    node = tree.readable_node(path, _caller(client))
    if watch:
        processor.watches.data.add(path, client)
    return encode_buffer(node.data) + tree.stat(path).encode()


def handle_get_children(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path, watch = reader.string(), reader.boolean()
    tree = processor.database.tree
    tree.readable_node(path, _caller(client))
    if watch:
        processor.watches.children.add(path, client)
    return encode_strings(tree.children[path])


def handle_get_children2(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path, watch = reader.string(), reader.boolean()
    tree = processor.database.tree
    tree.readable_node(path, _caller(client))
    if watch:
        processor.watches.children.add(path, client)
    return encode_strings(tree.children[path]) + tree.stat(path).encode()


def handle_get_acl(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path = reader.string()
    tree = processor.database.tree
    acl = tree.readable_node(path, _caller(client), READ | ADMIN).acl
    shown = acl if permits(acl, ADMIN, client.identities) else hide_digests(acl)
    return encode_acl(shown) + tree.stat(path).encode()


def handle_sync(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    """Every answer waits for all that was decided before it, so that a sync is an answer like any other."""
    return encode_string(reader.string())


def handle_get_all_children_number(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path = reader.string()
    tree = processor.database.tree
    tree.readable_node(path, _caller(client))
    below = path.rstrip("/") + "/"
    return encode_int(sum(other.startswith(below) and other != "/" for other in tree.nodes))


def handle_get_ephemerals(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    prefix = reader.string()
    owned = processor.database.tree.ephemerals.get(client.session_id, {})
    return encode_strings(path for path in owned if prefix.strip() in ("", "/") or path.startswith(prefix))


def handle_who_am_i(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    users = [(scheme, name.split(":", 1)[0] if scheme == "digest" else name) for scheme, name in client.identities]
    return encode_int(len(users)) + b"".join(encode_string(scheme) + encode_string(user) for scheme, user in users)


def handle_multi_read(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    """Like a multi, but each read succeeds or fails alone."""
    parts: list[bytes] = []
    while True:
        kind, done, _ = reader.integer(), reader.boolean(), reader.integer()
        if done:
            return b"".join(parts) + encode_int(-1) + encode_boolean(True) + encode_int(-1)
        if kind not in (OpCode.GET_DATA, OpCode.GET_CHILDREN):
            raise DecodeError(f"operation {kind} cannot be in a multiRead")
        read = handle_get_data if kind == OpCode.GET_DATA else handle_get_children
        try:
            body, code, shown = read(processor, client, reader), 0, kind
        except ZooKeeperError as error:
            body, code, shown = encode_int(error.code), error.code, int(OpCode.ERROR)
        parts.append(encode_int(shown) + encode_boolean(False) + encode_int(code) + body)


def _caller(client: Client) -> Caller:
    return Caller(client.session_id, client.identities)
