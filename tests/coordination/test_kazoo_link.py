import asyncio
from typing import Any

import pytest
from kazoo.exceptions import EXCEPTIONS

from ottla.clock import ManualClock
from ottla.coordination import errors
from ottla.coordination.kazoo_link import KazooLink, LinkOptions, first_failure, translate
from ottla.coordination.mailbox import Mailbox
from support.coroutines import on_event_loop


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (-1, errors.SystemFailureError),
        (-125, errors.QuotaExceededError),
        (-127, errors.ThrottledError),
        (-14, errors.UnexpectedRefusalError),
        (-200, errors.UnexpectedRefusalError),  # of a later version, unknown to kazoo too
    ],
)
def test_every_code_of_a_server_is_an_error_of_ours_alone_and_in_a_multi(code: int, expected: type) -> None:
    refused = EXCEPTIONS[code]()
    assert type(translate(refused, "/a")) is expected
    assert first_failure([EXCEPTIONS[0](), refused, EXCEPTIONS[-2]()]) == (1, refused)


def test_multi_that_failed_without_saying_where_is_not_taken_for_done() -> None:
    rolled_back = EXCEPTIONS[0]()
    assert first_failure([rolled_back]) == (0, rolled_back)


class Nobody:
    def link_connected(self, link: Any, connected: Any) -> None: ...

    def link_suspended(self, link: Any) -> None: ...

    def link_lost(self, link: Any) -> None: ...


class Pauses:
    """In place of the event on which the link waits."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def wait(self, seconds: float) -> None:
        self.seconds.append(seconds)


@on_event_loop
async def test_connections_that_are_dropped_at_once_are_made_again_after_pauses_that_grow_to_a_bound() -> None:
    clock = ManualClock()
    link = KazooLink(LinkOptions("localhost:1", 18_000), None, clock, Mailbox(asyncio.get_running_loop()), Nobody())
    pauses = link._stopping = Pauses()  # type: ignore[assignment]
    link._kazoo_connect = lambda host, address, port: (100, 100)
    for _ in range(20):
        link._connect("localhost", "127.0.0.1", 1)
        clock.advance_ms(10)
    assert len(pauses.seconds) == 18  # none before the first connection, nor after the first drop
    assert pauses.seconds == sorted(pauses.seconds)
    assert (pauses.seconds[0], pauses.seconds[-1]) == (0.2, 1.0)
    clock.advance_ms(60_000)
    link._connect("localhost", "127.0.0.1", 1)
    assert len(pauses.seconds) == 18  # after a connection that lasted
