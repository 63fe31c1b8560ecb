"""Thousands of open connections: what they cost, and what happens at the limit. The server is a process of its own."""

import json
import os
import resource
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ottla.server.connection_limits import raise_descriptor_limit
from support.connections import framed

API_VERSIONS = framed(struct.pack(">hhih", 18, 0, 7, -1))
BYTES_PER_CONNECTION_MAX = 8_000
WAITING = 20


class CountingServer:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert process.stdout is not None
        self.address = ("127.0.0.1", int(process.stdout.readline()))

    def report(self) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        report: dict[str, Any] = json.loads(self._process.stdout.readline())
        return report


@contextmanager
def counting_server(max_connections: int) -> Iterator[CountingServer]:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "support.counting_server", str(max_connections)]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield CountingServer(process)
        finally:
            process.terminate()


def ask(sock: socket.socket) -> None:
    """One ApiVersions round trip."""
    sock.sendall(API_VERSIONS)
    size = struct.unpack(">i", sock.recv(4, socket.MSG_WAITALL))[0]
    assert sock.recv(size, socket.MSG_WAITALL)[:6] == struct.pack(">ih", 7, 0)


@pytest.fixture(autouse=True)
def _all_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    raise_descriptor_limit()
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.long)])
def test_open_connections_are_cheap_and_the_limit_is_a_pause_that_recovers(count: int):
    with counting_server(max_connections=count) as server, ExitStack() as stack:
        before = server.report()
        socks = [stack.enter_context(socket.create_connection(server.address, 60)) for _ in range(count)]
        for sock in socks:
            ask(sock)
        full = server.report()
        assert full["connections"] == count
        assert full["descriptors"] - before["descriptors"] == count
        grown_bytes = full["resident_bytes"] - before["resident_bytes"]
        print(f"{grown_bytes // count} bytes of memory per connection")
        assert grown_bytes < count * BYTES_PER_CONNECTION_MAX

        waiting = [stack.enter_context(socket.create_connection(server.address, 60)) for _ in range(WAITING)]
        for sock in waiting:
            sock.sendall(API_VERSIONS)
        ask(socks[0])
        at_limit = server.report()
        assert (at_limit["connections"], at_limit["accepting"]) == (count, False)
        assert at_limit["descriptors"] == full["descriptors"]

        for sock in socks[-WAITING:]:
            sock.close()
        for sock in waiting:
            size = struct.unpack(">i", sock.recv(4, socket.MSG_WAITALL))[0]
            assert len(sock.recv(size, socket.MSG_WAITALL)) == size
            ask(sock)
        assert server.report()["connections"] == count
