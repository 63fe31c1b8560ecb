"""Readers that wait for each other: all that are readable are served together, in one turn."""

import asyncio
import socket
from collections.abc import Callable

from ottla.transport import UnhurriedReaders


def run(scenario: Callable[[UnhurriedReaders, list[tuple[socket.socket, socket.socket]]], object]) -> None:
    async def main() -> None:
        readers = UnhurriedReaders(asyncio.get_running_loop())
        pairs = [socket.socketpair() for _ in range(3)]
        try:
            await asyncio.wait_for(scenario(readers, pairs), 30)  # type: ignore[arg-type]
        finally:
            readers.close()
            for pair in pairs:
                for sock in pair:
                    sock.close()

    asyncio.run(main())


def test_sockets_that_become_readable_within_the_pause_are_served_in_one_turn() -> None:
    async def scenario(readers: UnhurriedReaders, pairs: list[tuple[socket.socket, socket.socket]]) -> None:
        turns: list[int] = []
        turn = 0
        served = asyncio.Event()

        def count_turns() -> None:
            nonlocal turn
            turn += 1
            asyncio.get_running_loop().call_soon(count_turns)

        def serve(sock: socket.socket) -> None:
            sock.recv(1)
            turns.append(turn)
            if len(turns) == len(pairs):
                served.set()

        for near, _ in pairs:
            readers.add_reader(near.fileno(), lambda near=near: serve(near))
        count_turns()
        for _, far in pairs:
            far.send(b"x")
            await asyncio.sleep(0.001)
        await served.wait()
        assert len(set(turns)) == 1
        turns.clear()
        served.clear()
        for _, far in pairs:  # and again
            far.send(b"x")
        await served.wait()

    run(scenario)


def test_a_reader_that_another_one_removed_is_not_called() -> None:
    async def scenario(readers: UnhurriedReaders, pairs: list[tuple[socket.socket, socket.socket]]) -> None:
        called: list[int] = []
        done = asyncio.Event()

        def serve(number: int) -> None:
            called.append(number)
            for near, _ in pairs:
                readers.remove_reader(near.fileno())
            done.set()

        for number, (near, _) in enumerate(pairs):
            readers.add_reader(near.fileno(), lambda number=number: serve(number))
        assert len(readers) == 3
        for _, far in pairs:
            far.send(b"x")
        await done.wait()
        near, far = socket.socketpair()
        with near, far:  # One that becomes readable later is served later: whoever was to be called before was.
            later = asyncio.Event()
            readers.add_reader(near.fileno(), later.set)
            far.send(b"x")
            await later.wait()
            readers.remove_reader(near.fileno())
        assert len(called) == 1
        assert len(readers) == 0

    run(scenario)
