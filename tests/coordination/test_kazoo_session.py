"""What only a real session can show: taking up the session of a killed process, a stuck loop, where kazoo may be."""

import asyncio
import re
import struct
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import ottla
from ottla.clock import SystemClock
from ottla.coordination.connect_string import parse_connect_string
from ottla.coordination.embedded.server import EmbeddedZooKeeper
from ottla.coordination.embedded.server_config import ServerConfig
from ottla.coordination.errors import SessionError
from ottla.coordination.kazoo_session import KazooSession, SessionOptions
from ottla.coordination.session import SessionEvent, SessionState
from ottla.coordination.session_file import SessionFile
from support.coroutines import on_event_loop
from support.cuttable_proxy import CuttableProxy
from support.disks import FaultyDisk

KILLED = """
import asyncio, sys
from ottla.clock import SystemClock
from ottla.coordination.connect_string import parse_connect_string
from ottla.coordination.kazoo_session import KazooSession, SessionOptions

async def main():
    session = KazooSession(SessionOptions(parse_connect_string(sys.argv[1]), directory=sys.argv[2]), SystemClock())
    await session.start()
    await session.create("/left-behind", ephemeral=True)
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def address(zookeeper_address: str) -> str:
    return zookeeper_address


def session_on(address: str, **options: Any) -> KazooSession:
    return KazooSession(SessionOptions(parse_connect_string(address), **options), SystemClock())


@on_event_loop
async def test_session_of_a_killed_process_is_closed_by_the_next_one(address: str, tmp_path: Path) -> None:
    arguments = ("-c", KILLED, address, str(tmp_path))
    killed = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=subprocess.PIPE)
    try:
        assert killed.stdout is not None
        assert await killed.stdout.readline() == b"ready\n"
    finally:
        killed.kill()
        await killed.communicate()
    session = session_on(address, directory=str(tmp_path))
    await session.start()
    assert await session.exists("/left-behind") is None
    await session.close()


@on_event_loop
async def test_identity_is_kept_while_the_session_lives_and_removed_when_it_is_closed(
    address: str, tmp_path: Path
) -> None:
    session = session_on(address, directory=str(tmp_path))
    await session.start()
    kept = SessionFile(str(tmp_path)).load()
    assert kept is not None
    assert kept.session_id == session.session_id
    await session.close()
    assert SessionFile(str(tmp_path)).load() is None


@asynccontextmanager
async def server_on(directory: Path, disk: FaultyDisk) -> AsyncIterator[str]:
    server = EmbeddedZooKeeper(ServerConfig(data_dir=str(directory), client_port=0, tick_time_ms=100), disk=disk)
    await server.start()
    try:
        yield f"{server.host}:{server.port}"
    finally:
        await server.stop()


@on_event_loop
async def test_session_that_cannot_be_reached_to_be_closed_is_left_to_the_next_process(tmp_path: Path) -> None:
    async with server_on(tmp_path / "zookeeper", FaultyDisk()) as address:
        proxy = CuttableProxy(address)
        session = session_on(await proxy.start(), directory=str(tmp_path))
        await session.start()
        await session.create("/left-behind", ephemeral=True)
        proxy.freeze()
        await asyncio.wait_for(session.close(), 10)
        assert SessionFile(str(tmp_path)).load() is not None
        await proxy.close()
        following = session_on(address, directory=str(tmp_path))
        await following.start()
        assert await following.exists("/left-behind") is None
        await following.close()
        assert SessionFile(str(tmp_path)).load() is None


@on_event_loop
async def test_session_that_a_full_server_does_not_close_is_left_to_the_next_process(tmp_path: Path) -> None:
    disk = FaultyDisk()
    async with server_on(tmp_path / "zookeeper", disk) as address:
        session = session_on(address, directory=str(tmp_path))
        await session.start()
        disk.room = 0
        await asyncio.wait_for(session.close(), 10)
        disk.room = None
        assert SessionFile(str(tmp_path)).load() is not None


@on_event_loop
async def test_connection_that_comes_and_goes_is_told_once_in_a_while(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "ottla.coordination")
    proxy = CuttableProxy(address)
    session = session_on(await proxy.start())
    await session.start()
    events: asyncio.Queue[SessionEvent] = asyncio.Queue()
    session.subscribe(events.put_nowait)
    for _ in range(3):
        proxy.cut()
        assert await events.get() is SessionEvent.SUSPENDED
        proxy.heal()
        assert await events.get() is SessionEvent.RESUMED
    assert caplog.text.count("connection to ZooKeeper lost") == 1
    assert caplog.text.count("connected to ZooKeeper again") == 1
    await session.close()
    await proxy.close()


@on_event_loop
async def test_read_that_no_connection_survives_ends_with_an_error() -> None:
    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A server that opens sessions and closes the connection at the first request."""
        await reader.readexactly(int.from_bytes(await reader.readexactly(4)))
        response = struct.pack(">iiqi", 0, 10_000, 7, 16) + bytes(16) + b"\0"
        writer.write(struct.pack(">i", len(response)) + response)
        await reader.read(4)
        writer.close()

    server = await asyncio.start_server(drop, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    session = session_on(f"{host}:{port}", session_timeout_ms=400)
    await session.start()
    with pytest.raises(SessionError):
        await asyncio.wait_for(session.exists("/a"), 30)
    await session.close()
    server.close()


@on_event_loop
async def test_session_of_a_stuck_loop_is_closed_by_the_watchdog_and_renewed_when_it_runs_again(address: str) -> None:
    gone = threading.Event()
    in_other_thread = threading.Thread(target=asyncio.run, args=(_wait_until_gone(address, "/stuck", gone),))
    session = session_on(address, session_timeout_ms=1000)
    await session.start()
    events: asyncio.Queue[SessionEvent] = asyncio.Queue()
    session.subscribe(events.put_nowait)
    await session.create("/stuck", ephemeral=True)
    in_other_thread.start()
    while not gone.is_set():
        time.sleep(0.01)  # noqa: ASYNC251 - the loop is stuck until the watchdog acted: that is the test
    in_other_thread.join()
    assert not session.lease_valid()
    assert await events.get() is SessionEvent.EXPIRED
    assert await events.get() is SessionEvent.RENEWED
    assert session.state is SessionState.CONNECTED
    await session.create("/stuck", ephemeral=True)
    await session.close()


@on_event_loop
async def test_session_is_renewed_after_an_outage_of_several_timeouts(address: str) -> None:
    proxy = CuttableProxy(address)
    session = session_on(await proxy.start(), session_timeout_ms=600)
    await session.start()
    events: asyncio.Queue[SessionEvent] = asyncio.Queue()
    session.subscribe(events.put_nowait)
    proxy.freeze()
    while await events.get() is not SessionEvent.EXPIRED:
        pass
    await proxy.connected_again(5)  # The outage outlasts three timeouts: a watchdog that does not rest would bark.
    proxy.heal()
    assert await events.get() is SessionEvent.RENEWED
    await session.create("/renewed", ephemeral=True)
    await session.close()
    await proxy.close()


async def _wait_until_gone(address: str, path: str, gone: threading.Event) -> None:
    session = session_on(address)
    await session.start()
    changed = asyncio.Event()
    while await session.exists(path, lambda _: changed.set()) is not None:
        await changed.wait()
        changed.clear()
    gone.set()
    await session.close()


@on_event_loop
async def test_chroot_is_made_when_missing_and_hidden_from_paths(address: str) -> None:
    inside, outside = session_on(f"{address}/deep/chroot"), session_on(address)
    await inside.start()
    await outside.start()
    path, _ = await inside.create("/n_", sequence=True)
    assert path == "/n_0000000000"
    assert await outside.exists("/deep/chroot/n_0000000000") is not None
    await inside.close()
    await outside.close()


def test_kazoo_is_imported_by_one_module_only() -> None:
    root = Path(ottla.__file__).parent
    importing = re.compile(r"^\s*(import|from)\s+kazoo\b", re.MULTILINE)
    found = [str(path.relative_to(root)) for path in root.rglob("*.py") if importing.search(path.read_text())]
    assert found == ["coordination/kazoo_link.py"]


def test_kazoo_is_not_imported_before_a_session_starts() -> None:
    program = "import sys, ottla.coordination.kazoo_session; sys.exit('kazoo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
