"""The way from the controller to the brokers over the network, and to its own broker without it.

Each broker has a line: its requests leave one at a time, in their order, and each is sent again until the broker
answers it. A broker that goes, or comes back with another epoch, takes its line with it: what waited there was meant
for its earlier life, and everything it needs to know now is sent anew (KIP-380). A controller that resigns drops
all lines.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from typing import Any

from ottla.clients.addresses import Address
from ottla.clients.connection import ConnectionSettings
from ottla.clients.retry import Backoff
from ottla.clients.runtime import Runtime
from ottla.controller.control_request_handler import ControlRequestHandler
from ottla.controller.control_requests import ControlRequest
from ottla.controller.state import BrokerRecord
from ottla.errors import KafkaError
from ottla.errors.kafka import BrokerNotAvailableError
from ottla.replication.peers import Peers

log = logging.getLogger(__name__)

_CHANNEL = "controller"


class NetworkChannel:
    """Implements `BrokerChannel`. `listener_names`: through which listener brokers are reached, best first."""

    def __init__(
        self,
        local: ControlRequestHandler,
        runtime: Runtime,
        settings: ConnectionSettings,
        listener_names: tuple[str, ...],
        *,
        timeout_ms: int = 30_000,
    ) -> None:
        self._local = local
        self._listener_names = listener_names
        self._timeout_ms = timeout_ms
        self._brokers: Mapping[int, BrokerRecord] = {}
        self._peers = Peers(runtime, settings, self._address)
        self._lines: dict[int, _Line] = {}

    def send(self, broker_id: int, request: ControlRequest) -> "asyncio.Future[Any]":
        loop = asyncio.get_running_loop()
        if broker_id == self._local.broker_id:
            return loop.create_task(self._local.handle(request))
        line = self._lines.get(broker_id)
        if line is None:
            line = self._lines[broker_id] = _Line(broker_id, self._peers, self._timeout_ms)
        return line.send(request)

    def brokers_changed(self, brokers: Mapping[int, BrokerRecord]) -> None:
        before, self._brokers = self._brokers, dict(brokers)
        for broker_id, line in list(self._lines.items()):
            now, then = self._brokers.get(broker_id), before.get(broker_id)
            if now is None or then is None or now.epoch != then.epoch:
                del self._lines[broker_id]
                line.end()

    def reset(self) -> None:
        self.brokers_changed({})

    async def close(self) -> None:
        self.reset()
        await self._peers.close()

    def _address(self, broker_id: int) -> Address | None:
        record = self._brokers.get(broker_id)
        if record is None:
            return None
        by_listener = {endpoint.listener: endpoint for endpoint in record.info.endpoints}
        for name in self._listener_names:
            if name in by_listener:
                return Address(by_listener[name].host, by_listener[name].port)
        return next((Address(endpoint.host, endpoint.port) for endpoint in record.info.endpoints), None)


class _Line:
    """The requests to one broker, in one life of it."""

    def __init__(self, broker_id: int, peers: Peers, timeout_ms: int) -> None:
        self._broker_id = broker_id
        self._peers = peers
        self._timeout_ms = timeout_ms
        self._waiting: deque[tuple[ControlRequest, asyncio.Future[Any]]] = deque()
        self._backoff = Backoff(50, 1000)
        self._task: asyncio.Task[None] | None = None

    def send(self, request: ControlRequest) -> "asyncio.Future[Any]":
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((request, future))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run(), name=f"controller-to-{self._broker_id}")
        return future

    async def _run(self) -> None:
        failures = 0
        while self._waiting:
            request, future = self._waiting[0]
            try:
                response = await self._peers.request(
                    self._broker_id, request, channel=_CHANNEL, timeout_ms=self._timeout_ms
                )
            except KafkaError as error:
                failures += 1
                log.log(
                    logging.INFO if failures == 1 else logging.DEBUG,
                    "broker %d does not answer %s: %s",
                    self._broker_id,
                    type(request).__name__,
                    error,
                )
                await asyncio.sleep(self._backoff.delay_ms(failures) / 1000)
            except Exception as error:  # noqa: BLE001  a bug, or no response at all: whoever asked gets it, the line goes on
                self._waiting.popleft()
                if not future.done():
                    future.set_exception(error)
            else:
                failures = 0
                self._waiting.popleft()
                if not future.done():
                    future.set_result(response)

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()
        for _, future in self._waiting:
            if not future.done():
                future.set_exception(BrokerNotAvailableError(f"Broker {self._broker_id} is gone."))
        self._waiting.clear()
