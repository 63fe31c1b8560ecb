"""Answers wait for the disk, and what was answered survives a power cut at any moment."""

import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.coordination.acl import OPEN_ACL
from ottla.coordination.embedded.database import DatabaseView
from ottla.coordination.embedded.jute import encode_string
from ottla.coordination.embedded.opcodes import OpCode
from ottla.coordination.embedded.store import Store
from ottla.coordination.embedded.txn_codec import LoggedTxn
from ottla.coordination.operations import CreateTxn
from ottla.disk.system_disk import SystemDisk
from support.disks import RecordingDisk
from support.power_cut import PowerCut
from support.raw_zookeeper import RawClient, create_body
from support.server_thread import ServerThread

BOUNDS = {"nodes_max": 1000, "bytes_max": 1 << 20}


class SlowDisk(SystemDisk):
    """A disk whose syncs wait until they are let go."""

    __slots__ = ("let_go", "syncing")

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.let_go.set()
        self.syncing = threading.Event()

    def sync(self, descriptor: int, /) -> None:  # type: ignore[override]
        self.syncing.set()
        assert self.let_go.wait(30)


def test_no_answer_and_no_event_leaves_before_the_sync_that_covers_it(tmp_path: Path) -> None:
    disk = SlowDisk()
    thread = ServerThread(tmp_path, options={"disk": disk})
    with thread as server:
        writer, reader, watcher = (RawClient(server.port) for _ in range(3))
        watcher.call(OpCode.EXISTS, encode_string("/a") + b"\1")
        disk.let_go.clear()
        disk.syncing.clear()
        sent = thread.call(lambda: server.statistics.packets_sent)
        writer.send(OpCode.CREATE, create_body("/a"))
        assert disk.syncing.wait(30)
        reader.send(OpCode.GET_DATA, encode_string("/a") + b"\0")
        while server.outstanding < 3:  # the answer, the event, and the read that saw what is not yet durable
            thread.call(lambda: None)
        assert server.statistics.packets_sent == sent
        disk.let_go.set()
        assert writer.receive().error == 0
        assert reader.receive().error == 0
        assert watcher.receive_event() == (1, "/a")
        for client in (writer, reader, watcher):
            client.close()


def test_requests_that_arrive_during_a_sync_share_the_next_one(tmp_path: Path) -> None:
    disk = RecordingDisk()
    with ServerThread(tmp_path, options={"disk": disk}) as server:
        client = RawClient(server.port)
        before = len(disk.trace)
        for number in range(300):
            client.send(OpCode.CREATE, create_body(f"/n{number}"))
        assert [client.receive().error for _ in range(300)] == [0] * 300
        syncs = [call for call in disk.trace[before:] if call[0] == "sync"]
        assert 1 <= len(syncs) < 300
        client.close()


class RecordedStore:
    """A store on a recording disk, that remembers what was durable at each point of the trace."""

    def __init__(self, directory: Path) -> None:
        self.disk = RecordingDisk()
        self.store = Store(str(directory), self.disk)
        self.store.open()
        self.database = self.store.recover(**BOUNDS)
        self.durable_zxid = 0
        self.promises: list[tuple[int, int]] = [(0, 0)]
        self.views: list[DatabaseView] = [self.database.view()]

    def append(self) -> None:
        number = self.database.last_zxid
        txn = CreateTxn(f"/n{number}", b"x" * (number * 7 % 50), OPEN_ACL, 0, number + 1)
        logged = LoggedTxn(number + 1, 0, 0, txn)
        self.store.log.append(logged, self.durable_zxid)
        self.database.apply(logged)
        self.views.append(self.database.view())

    def sync(self) -> None:
        unsynced = self.store.log.take_unsynced()
        self.store.log.sync(unsynced)
        self.store.log.synced(unsynced)
        self.durable_zxid = self.database.last_zxid
        self.promises.append((len(self.disk.trace), self.durable_zxid))

    def snapshot(self) -> None:
        writer = self.store.begin_snapshot(self.database.view())
        for _ in writer.write():
            pass
        writer.finish()
        self.store.purge()

    def promised_at(self, position: int) -> int:
        return max(zxid for made_at, zxid in self.promises if made_at <= position)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["append", "append", "sync", "snapshot"]), max_size=25), st.data())
def test_a_power_cut_at_any_moment_loses_nothing_that_was_promised(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str], data: st.DataObject
) -> None:
    recorded = RecordedStore(tmp_path_factory.mktemp("before"))
    for step in steps:
        getattr(recorded, step)()
    recorded.store.close()
    position = data.draw(st.integers(0, len(recorded.disk.trace)))
    cut = PowerCut()
    cut.replay(recorded.disk.trace[:position])
    directory = tmp_path_factory.mktemp("after")
    (directory / "ottla-1").mkdir()
    for path, content in cut.files(lambda count: data.draw(st.integers(0, count - 1))).items():
        (directory / "ottla-1" / Path(path).name).write_bytes(content)
    store = Store(str(directory))
    store.open()
    store.remove_unfinished()
    database = store.recover(**BOUNDS)
    store.close()
    assert database.last_zxid >= recorded.promised_at(position)
    assert database.view() == recorded.views[database.last_zxid]
