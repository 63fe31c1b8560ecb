import asyncio
from typing import Any

import pytest

from ottla.controller.network_channel import _Line
from ottla.errors.kafka import BrokerNotAvailableError
from ottla.protocol.messages.update_metadata import UpdateMetadataRequest
from support.coroutines import on_event_loop


class Peers:
    """Answers with what is next in the script."""

    def __init__(self, *script: Any) -> None:
        self._script = list(script)

    async def request(self, broker_id: int, request: Any, **options: Any) -> Any:
        outcome = self._script.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@on_event_loop
async def test_request_that_fails_in_an_unexpected_way_is_answered_with_that_and_the_line_goes_on() -> None:
    peers: Any = Peers(BrokerNotAvailableError(), KeyError("a bug"), "response")
    line = _Line(1, peers, 1000)
    first, second = line.send(UpdateMetadataRequest()), line.send(UpdateMetadataRequest())
    with pytest.raises(KeyError):
        await asyncio.wait_for(first, 10)
    assert await asyncio.wait_for(second, 10) == "response"
