"""What the parts of the admin client share: the cluster, the time limit, and asking the controller."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from ottla.clients.cluster import Cluster
from ottla.clients.retry import retried
from ottla.errors import ErrorCode
from ottla.errors.kafka import NotControllerError
from ottla.protocol.message import Request

T = TypeVar("T")


class AdminCalls:
    """The base of each part."""

    def __init__(self, cluster: Cluster, timeout_ms: int) -> None:
        self._cluster = cluster
        self._timeout_ms = timeout_ms

    async def _retry(self, attempt: Callable[[], Awaitable[T]], what: str) -> T:
        return await retried(attempt, backoff=self._cluster.retry_backoff, timeout_ms=self._timeout_ms, what=what)

    async def _ask_any(self, request: Request, what: str) -> Any:
        return await self._retry(lambda: self._cluster.send_to_any(request), what)

    async def _ask_controller(self, request: Request, what: str, codes_of: Callable[[Any], Iterable[int]]) -> Any:
        """The controller's response. `codes_of` are the error codes in it: one of them may say that it has moved."""

        async def attempt() -> Any:
            response = await self._cluster.send(await self._cluster.controller(), request)
            if ErrorCode.NOT_CONTROLLER in codes_of(response):
                await self._cluster.refresh()
                raise NotControllerError(f"{what}: the controller has moved")
            return response

        return await self._retry(attempt, what)

    async def _know_brokers(self) -> None:
        if not self._cluster.snapshot.brokers:
            await self._cluster.refresh()
