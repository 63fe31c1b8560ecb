"""`Session` over kazoo: the operations, their paths under the chroot and their ACLs. `session_life` keeps it alive."""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from ottla.coordination.acl import Acl, AclList, Id
from ottla.coordination.created_acl import created_acl
from ottla.coordination.errors import NodeExistsError, NoNodeError, RequestTooLargeError
from ottla.coordination.request_size import check_request_size
from ottla.coordination.session import (
    ANY_VERSION,
    CreateOp,
    DeleteOp,
    EventType,
    Op,
    OpResult,
    SessionState,
    SetOp,
    Watch,
    WatchEvent,
)
from ottla.coordination.session_life import Send, SessionLife, SessionOptions
from ottla.coordination.stat import Stat

__all__ = ["KazooSession", "SessionOptions"]


class KazooSession(SessionLife):
    async def start(self) -> None:
        await super().start()
        await self._make_chroot()

    async def _make_chroot(self) -> None:
        steps = self._chroot.split("/")[1:]
        for end in range(1, len(steps) + 1):
            path = "/" + "/".join(steps[:end])
            op = CreateOp(path, acl=created_acl(path, secure=self._options.set_acl))
            with contextlib.suppress(NodeExistsError):
                await self._create(op)

    def get(self, path: str, watch: Watch | None = None) -> "asyncio.Future[tuple[bytes, Stat]]":
        notify = self._notifier(path, watch)
        return self._request(
            lambda link, done: link.get(self._chroot + path, notify, done), path, _data_and_stat, read=True
        )

    def exists(self, path: str, watch: Watch | None = None) -> "asyncio.Future[Stat | None]":
        notify = self._notifier(path, watch)
        return self._request(
            lambda link, done: link.exists(self._chroot + path, notify, done), path, _optional_stat, read=True
        )

    def children(self, path: str, watch: Watch | None = None) -> "asyncio.Future[list[str]]":
        notify = self._notifier(path, watch)
        return self._request(
            lambda link, done: link.children(self._chroot + path, notify, done), path, sorted, read=True
        )

    def get_acl(self, path: str) -> "asyncio.Future[tuple[AclList, Stat]]":
        return self._request(lambda link, done: link.get_acl(self._chroot + path, done), path, _acl_and_stat, read=True)

    async def create(
        self,
        path: str,
        data: bytes = b"",
        *,
        ephemeral: bool = False,
        sequence: bool = False,
        acl: tuple[Acl, ...] | None = None,
        make_parents: bool = False,
    ) -> tuple[str, Stat]:
        op = self._outside(CreateOp(path, data, ephemeral, sequence, acl))
        while True:
            try:
                return await self._create(op)
            except NoNodeError:
                if not make_parents or path.count("/") == 1:
                    raise
                with contextlib.suppress(NodeExistsError):
                    await self.create(path.rpartition("/")[0], make_parents=True)

    def _create(self, op: CreateOp) -> "asyncio.Future[tuple[str, Stat]]":
        return self._write([op], lambda link, done: link.create(op, done), op.path, self._path_and_stat)

    def set(self, path: str, data: bytes, version: int = ANY_VERSION) -> "asyncio.Future[Stat]":
        op = self._outside(SetOp(path, data, version))
        return self._write([op], lambda link, done: link.set(op, done), path, Stat._make)

    def delete(self, path: str, version: int = ANY_VERSION) -> "asyncio.Future[None]":
        op = self._outside(DeleteOp(path, version))
        return self._request(lambda link, done: link.delete(op, done), path, lambda _: None)

    def sync(self, path: str) -> "asyncio.Future[None]":
        return self._request(lambda link, done: link.sync(self._chroot + path, done), path, lambda _: None, read=True)

    def multi(self, ops: Sequence[Op]) -> "asyncio.Future[list[OpResult]]":
        outside = [self._outside(op) for op in ops]
        paths = [op.path for op in ops]
        return self._write(
            outside,
            lambda link, done: link.multi(outside, done),
            paths[0] if paths else "/",
            lambda results: self._multi(results, paths),
        )

    def _write(self, ops: Sequence[Op], send: Send, path: str, convert: Callable[[Any], Any]) -> "asyncio.Future[Any]":
        try:
            check_request_size(ops)
        except RequestTooLargeError as error:
            refused = self._loop.create_future()
            refused.set_exception(error)
            return refused
        return self._request(send, path, convert)

    def _notifier(self, path: str, watch: Watch | None) -> Callable[[EventType], None] | None:
        if watch is None:
            return None
        generation = self._generation

        def notify(event: EventType) -> None:
            if generation == self._generation and self._state is not SessionState.CLOSED:
                watch(WatchEvent(event, path))

        return notify

    def _outside(self, op: Any) -> Any:
        """An operation as the server is to see it: under the chroot, and with an ACL."""
        if isinstance(op, CreateOp) and op.acl is None:
            op = op._replace(acl=created_acl(op.path, secure=self._options.set_acl))
        return op._replace(path=self._chroot + op.path)

    def _path_and_stat(self, result: Any) -> tuple[str, Stat]:
        path, stat = result
        return path[len(self._chroot) :], Stat._make(stat)

    def _multi(self, results: list[Any], paths: list[str]) -> list[OpResult]:
        from ottla.coordination.kazoo_link import first_failure, translate

        failure = first_failure(results)
        if failure is not None:
            raise translate(failure[1], paths[failure[0]])
        return [self._op_result(result) for result in results]

    def _op_result(self, result: Any) -> OpResult:
        if isinstance(result, str):
            return result[len(self._chroot) :]
        return None if result is True else Stat._make(result)


def _data_and_stat(result: Any) -> tuple[bytes, Stat]:
    data, stat = result
    return data or b"", Stat._make(stat)


def _acl_and_stat(result: Any) -> tuple[AclList, Stat]:
    entries, stat = result
    return tuple(Acl(entry.perms, Id(entry.id.scheme, entry.id.id)) for entry in entries), Stat._make(stat)


def _optional_stat(result: Any) -> Stat | None:
    return None if result is None else Stat._make(result)
