"""kill -9 at random under load: every write that was acknowledged is there afterwards, and nothing is there twice."""

import random
import threading
from pathlib import Path

import pytest

from ottla.coordination.embedded.jute import encode_string
from ottla.coordination.embedded.opcodes import OpCode
from support.raw_zookeeper import RawClient
from support.zookeepers import ZooKeeperProcess, embedded_server

WRITERS = 4
SEQUENTIAL = 2


class Writer:
    """Sets its own node to 1, 2, 3... and creates sequential nodes, by one connection after the other."""

    def __init__(self, server: ZooKeeperProcess, name: str) -> None:
        self.acknowledged = 0
        self.attempted = 0
        self.created: list[str] = []
        self._server = server
        self._path = f"/{name}"
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def check(self, client: RawClient, children: set[str]) -> None:
        """Read back: at least what was acknowledged, at most what was attempted."""
        found = int(client.get(self._path).body.buffer() or b"0")
        assert self.acknowledged <= found <= self.attempted
        assert set(self.created) <= children
        self.acknowledged = found

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._write_until_the_connection_breaks()
            except OSError:
                continue

    def _write_until_the_connection_breaks(self) -> None:
        client = RawClient(self._server.port)
        try:
            client.create(self._path)
            client.create("/queue")
            while not self._stopping.is_set():
                self.attempted += 1
                assert client.set(self._path, b"%d" % self.attempted).error == 0
                self.acknowledged = self.attempted
                self.created.append(client.create("/queue/n-", b"", SEQUENTIAL).body.string())
        finally:
            client.close()


def run_crashes(directory: Path, crashes: int, seed: int) -> None:
    server = embedded_server(directory, snapCount="300")
    server.start()
    writers = [Writer(server, f"writer-{number}") for number in range(WRITERS)]
    choose = random.Random(seed)
    try:
        for _ in range(crashes):
            threading.Event().wait(choose.uniform(0.05, 0.8))  # the moment of the crash is the input of this test
            server.kill()
            server.start()
    finally:
        for writer in writers:
            writer.stop()
    server.kill()
    server.start()
    client = RawClient(server.port)
    children = read_children(client)
    assert len(children) == len(set(children))
    for writer in writers:
        writer.check(client, {f"/queue/{name}" for name in children})
        assert writer.acknowledged > 0
    client.close()
    assert server.stop() == 0


def read_children(client: RawClient) -> list[str]:
    return client.call(OpCode.GET_CHILDREN, encode_string("/queue") + b"\0").body.strings()


def test_no_acknowledged_write_is_lost_by_kill_9(tmp_path: Path) -> None:
    run_crashes(tmp_path, 4, seed=4)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
def test_no_acknowledged_write_is_lost_by_kill_9_for_long(tmp_path: Path, seed: int) -> None:
    run_crashes(tmp_path, 80, seed)
