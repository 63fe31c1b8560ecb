"""The way from the controller to a broker. Messages to one broker arrive in the order in which they were sent."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from ottla.controller.control_request_handler import ControlRequestHandler
from ottla.controller.control_requests import ControlRequest
from ottla.controller.state import BrokerRecord
from ottla.errors.kafka import BrokerNotAvailableError


class BrokerChannel(Protocol):
    def send(self, broker_id: int, request: ControlRequest) -> "asyncio.Future[Any]":
        """The broker's response. Sent again until the broker answers or is gone (then an exception)."""
        ...

    def brokers_changed(self, brokers: Mapping[int, BrokerRecord]) -> None:
        """These are the live brokers now. What waits for one that is gone or was restarted is dropped."""
        ...

    def reset(self) -> None:
        """Nobody is to be told anything any more: we are not the controller."""
        ...


class LocalChannel:
    """Brokers in this process: the lone broker itself, or all of them in tests."""

    def __init__(self, brokers: Mapping[int, ControlRequestHandler]) -> None:
        self._brokers = brokers

    def send(self, broker_id: int, request: ControlRequest) -> "asyncio.Future[Any]":
        loop = asyncio.get_running_loop()
        broker = self._brokers.get(broker_id)
        if broker is None:
            answer: asyncio.Future[Any] = loop.create_future()
            answer.set_exception(BrokerNotAvailableError(f"Broker {broker_id} is not in this process."))
            return answer
        return loop.create_task(broker.handle(request))

    def brokers_changed(self, brokers: Mapping[int, BrokerRecord]) -> None:
        pass

    def reset(self) -> None:
        pass
