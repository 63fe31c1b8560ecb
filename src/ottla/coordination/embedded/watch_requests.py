"""Requests about watches: putting them back after a reconnect, adding persistent ones, checking and removing.

After a reconnect a client names its watches and the last zxid it saw. What has changed since then is reported at once,
the rest is watched again; so that a client misses nothing, however long it was away.
"""

from typing import TYPE_CHECKING

from ottla.coordination.acl import READ, permits
from ottla.coordination.embedded.client import Client
from ottla.coordination.embedded.jute import Reader, encode_int
from ottla.coordination.embedded.replies import encode_event
from ottla.coordination.errors import BadArgumentsError, NoWatcherError
from ottla.coordination.operations import EventType
from ottla.coordination.watches import WatcherType

if TYPE_CHECKING:
    from ottla.coordination.embedded.processor import RequestProcessor

_MODE_PERSISTENT = 0
_MODE_PERSISTENT_RECURSIVE = 1


def handle_set_watches(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    _Restoration(processor, client, reader.long()).restore(reader.strings(), reader.strings(), reader.strings())
    return b""


def handle_set_watches2(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    handle_set_watches(processor, client, reader)
    for path in reader.strings():
        processor.watches.add_persistent(path, client)
    for path in reader.strings():
        processor.watches.add_recursive(path, client)
    return b""


def handle_add_watch(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path, mode = reader.string(), reader.integer()
    if mode == _MODE_PERSISTENT:
        processor.watches.add_persistent(path, client)
    elif mode == _MODE_PERSISTENT_RECURSIVE:
        processor.watches.add_recursive(path, client)
    else:
        raise BadArgumentsError(path)
    return encode_int(0)


def handle_check_watches(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path, kind = reader.string(), _watcher_type(reader.integer())
    if not processor.watches.has(path, kind, client):
        raise NoWatcherError(path)
    return b""


def handle_remove_watches(processor: "RequestProcessor", client: Client, reader: Reader) -> bytes:
    path, kind = reader.string(), _watcher_type(reader.integer())
    if not processor.watches.remove(path, kind, client):
        raise NoWatcherError(path)
    return b""


def _watcher_type(number: int) -> WatcherType:
    try:
        return WatcherType(number)
    except ValueError:
        raise BadArgumentsError from None


class _Restoration:
    """Puts the standard watches of one client back."""

    def __init__(self, processor: "RequestProcessor", client: Client, seen_zxid: int) -> None:
        self._nodes = processor.database.tree.nodes
        self._watches = processor.watches
        self._client = client
        self._seen_zxid = seen_zxid
        self._zxid = processor.database.last_zxid

    def restore(self, data: list[str], exists: list[str], children: list[str]) -> None:
        for path in data:
            self._restore_data(path)
        for path in exists:
            if path in self._nodes:
                self._report(EventType.NODE_CREATED, path)
            else:
                self._watches.data.add(path, self._client)
        for path in children:
            self._restore_children(path)

    def _restore_data(self, path: str) -> None:
        node = self._nodes.get(path)
        if node is None:
            self._report(EventType.NODE_DELETED, path)
        elif node.mzxid > self._seen_zxid:
            self._report(EventType.NODE_DATA_CHANGED, path)
        else:
            self._watches.data.add(path, self._client)

    def _restore_children(self, path: str) -> None:
        node = self._nodes.get(path)
        if node is None:
            self._report(EventType.NODE_DELETED, path)
        elif node.pzxid > self._seen_zxid:
            self._report(EventType.NODE_CHILDREN_CHANGED, path)
        else:
            self._watches.children.add(path, self._client)

    def _report(self, kind: EventType, path: str) -> None:
        node = self._nodes.get(path)
        if node is None or permits(node.acl, READ, self._client.identities):
            self._client.send(encode_event(kind, path), self._zxid)
