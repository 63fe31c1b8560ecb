"""The selector of our loops says what Python's own says."""

import os
import selectors
import socket
from collections.abc import Iterator

import pytest

from ottla.transport.selector import LoopSelector

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE
Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    near, far = socket.socketpair()
    near.setblocking(False)
    with near, far:
        yield near, far


@pytest.fixture
def selector() -> Iterator[selectors.BaseSelector]:
    with LoopSelector() as selector:
        yield selector


@pytest.fixture
def pythons() -> Iterator[selectors.BaseSelector]:
    with selectors.DefaultSelector() as selector:
        yield selector


def fill(sock: socket.socket) -> None:
    while True:
        try:
            sock.send(bytes(65536))
        except BlockingIOError:
            return


@pytest.mark.parametrize("events", [READ, WRITE, READ | WRITE])
@pytest.mark.parametrize("state", ["idle", "readable", "full", "full and readable", "ended", "reset"])
def test_it_tells_what_pythons_own_tells(
    selector: LoopSelector, pythons: selectors.BaseSelector, pair: Pair, events: int, state: str
) -> None:
    near, far = pair
    if "full" in state:
        fill(near)
    if "readable" in state:
        far.send(b"x")
    if state == "ended":
        far.shutdown(socket.SHUT_WR)
    if state == "reset":
        far.close()
    keys = [each.register(near.fileno(), events, "data") for each in (selector, pythons)]
    assert keys[0] == keys[1]
    assert selector.select(0) == pythons.select(0)


def test_what_is_waited_for_can_be_changed(selector: LoopSelector, pair: Pair) -> None:
    near, far = pair
    selector.register(near, READ, "reader")
    assert selector.select(0) == []
    changed = selector.modify(near, READ | WRITE, "both")
    assert changed == (near, near.fileno(), READ | WRITE, "both")
    assert selector.select(0) == [(changed, WRITE)]
    selector.modify(near, READ, "other")
    assert selector.get_key(near).data == "other"
    assert selector.select(0) == []
    far.send(b"x")
    ((key, found),) = selector.select(1)
    assert (key.data, found) == ("other", READ)
    assert selector.unregister(near).data == "other"
    assert selector.select(0) == []


def test_the_map_is_by_descriptor(selector: LoopSelector, pair: Pair) -> None:
    key = selector.register(pair[0].fileno(), READ)
    assert dict(selector.get_map()) == {pair[0].fileno(): key}


def test_a_file_is_registered_once_and_known_until_it_is_taken_off(selector: LoopSelector, pair: Pair) -> None:
    near, _far = pair
    selector.register(near, READ)
    with pytest.raises(KeyError):
        selector.register(near, READ)
    selector.unregister(near)
    for call in (selector.unregister, selector.get_key, lambda file: selector.modify(file, WRITE)):
        with pytest.raises(KeyError):
            call(near)


def test_a_descriptor_that_was_closed_meanwhile_can_be_taken_off_and_is_forgotten(selector: LoopSelector) -> None:
    first, second = os.pipe()
    selector.register(first, READ)
    selector.register(second, WRITE)
    os.close(first)
    os.close(second)
    selector.unregister(first)
    with pytest.raises(OSError, match="Bad file descriptor"):
        selector.modify(second, READ)
    assert not selector.get_map()


def test_it_waits_at_least_as_long_as_it_was_told_and_as_long_as_it_must(selector: LoopSelector, pair: Pair) -> None:
    near, far = pair
    selector.register(near, READ)
    assert selector.select(0.0001) == []
    assert selector.select(-1) == []
    far.send(b"x")
    assert len(selector.select(None)) == 1
    assert len(selector.select(60)) == 1


def test_nothing_that_was_not_asked_for_is_registered(selector: LoopSelector, pair: Pair) -> None:
    for events in (0, 4, READ | 8):
        with pytest.raises(KeyError):
            selector.register(pair[0], events)
    assert not selector.get_map()
