"""The files: replay equals the live state, any torn tail leaves a prefix, damage is not taken for a torn tail."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.coordination.acl import ALL, OPEN_ACL, Acl, Caller, Id
from ottla.coordination.embedded.database import Database
from ottla.coordination.embedded.snapshot import decode_snapshot, encode_snapshot
from ottla.coordination.embedded.store import DamagedDataError, Store
from ottla.coordination.embedded.txn_codec import LoggedTxn, decode_logged_txn, encode_logged_txn
from ottla.coordination.errors import ZooKeeperError
from ottla.coordination.operations import (
    CheckTxn,
    CloseSessionTxn,
    Create,
    CreateMode,
    CreateSessionTxn,
    CreateTxn,
    Delete,
    DeleteTxn,
    Multi,
    MultiTxn,
    SetAcl,
    SetAclTxn,
    SetData,
    SetDataTxn,
    Txn,
)
from ottla.errors import ConfigError, OperatorError
from support.disks import RecordingDisk

TREE_BOUNDS = {"nodes_max": 1000, "bytes_max": 1 << 20}

paths = st.sampled_from(["/a", "/b", "/a/x", "/a/y"])
singles = st.one_of(
    st.builds(
        Create, paths, st.none() | st.binary(max_size=4), st.just(OPEN_ACL),
        st.sampled_from([CreateMode(flag) for flag in range(5)]), st.just(-1),
    ),
    st.builds(Delete, paths),
    st.builds(SetData, paths, st.binary(max_size=4)),
    st.builds(SetAcl, paths, st.just((Acl(ALL, Id("ip", "10.0.0.1")), *OPEN_ACL))),
)  # fmt: skip
steps = st.lists(
    st.one_of(
        st.tuples(singles, st.sampled_from([1, 2])),
        st.tuples(st.builds(Multi, st.lists(singles, max_size=3).map(tuple)), st.sampled_from([1, 2])),
        st.tuples(st.just("open"), st.sampled_from([1, 2])),
        st.tuples(st.just("close"), st.sampled_from([1, 2])),
        st.tuples(st.just("snapshot"), st.just(0)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    max_size=25,
)  # fmt: skip


class Machine:
    """A store and the database that it must be able to bring back."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.start()

    def start(self) -> None:
        self.store = Store(str(self.directory))
        self.store.open()
        self.database = self.store.recover(**TREE_BOUNDS)

    def commit(self, txn: Txn, session_id: int, durable_zxid: int | None = None) -> None:
        logged = LoggedTxn(self.database.last_zxid + 1, 1000 + self.database.last_zxid, session_id, txn)
        self.store.log.append(logged, self.database.last_zxid if durable_zxid is None else durable_zxid)
        self.database.apply(logged)

    def step(self, what: object, session_id: int) -> None:
        if what == "open":
            self.commit(CreateSessionTxn(1000, b"p" * 16), session_id)
        elif what == "close":
            self.commit(CloseSessionTxn(), session_id)
        elif what == "snapshot":
            self.snapshot()
        elif what == "restart":
            self.store.close()
            self.start()
        else:
            try:
                txn = self.database.tree.plan(what, Caller(session_id, (Id("ip", "10.0.0.1"),)))  # type: ignore[arg-type]
            except ZooKeeperError:
                return
            self.commit(txn, session_id)

    def snapshot(self) -> None:
        writer = self.store.begin_snapshot(self.database.view())
        for _ in writer.write():
            pass
        writer.finish()
        self.store.purge()

    @property
    def files(self) -> list[str]:
        return sorted(name for name in os.listdir(self.store.directory.path) if name != ".lock")

    def path(self, name: str) -> Path:
        return Path(self.store.directory.path) / name


def same(left: Database, right: Database) -> bool:
    return left.view() == right.view() and left.tree.ephemerals == right.tree.ephemerals


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_replaying_the_files_gives_the_live_state(
    tmp_path_factory: pytest.TempPathFactory, scenario: list[tuple[object, int]]
) -> None:
    machine = Machine(tmp_path_factory.mktemp("store"))
    for what, session_id in scenario:
        machine.step(what, session_id)
    machine.store.close()
    again = Machine(machine.directory)
    assert same(again.database, machine.database)
    again.database.tree.check_invariants()
    again.store.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 30), st.integers(0, 4000), st.binary(max_size=40))
def test_any_torn_tail_recovers_to_a_prefix(
    tmp_path_factory: pytest.TempPathFactory, count: int, cut: int, garbage: bytes
) -> None:
    machine = Machine(tmp_path_factory.mktemp("store"))
    views = [machine.database.view()]
    for number in range(count):
        machine.commit(CreateTxn(f"/n{number}", b"x" * number, OPEN_ACL, 0, number + 1), 0, durable_zxid=0)
        views.append(machine.database.view())
    machine.store.close()
    log = machine.path(machine.files[0])
    log.write_bytes(log.read_bytes()[:cut] + garbage)
    recovered = Machine(machine.directory)
    assert recovered.database.view() == views[recovered.database.last_zxid]
    recovered.commit(CreateTxn("/after", b"", OPEN_ACL, 0, 99), 0)
    recovered.store.close()
    third = Machine(machine.directory)
    assert same(third.database, recovered.database)
    third.store.close()


def test_a_damaged_transaction_that_was_acknowledged_stops_the_start(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for number in range(10):
        machine.commit(CreateTxn(f"/n{number}", b"data", OPEN_ACL, 0, number + 1), 0)
    machine.store.close()
    log = machine.path(machine.files[0])
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    with pytest.raises(DamagedDataError, match="were acknowledged and cannot be read"):
        Machine(tmp_path)


def contradiction(recovered: Callable[[str], bool]) -> str | None:
    return None if recovered("/known") else "/known, as is known from elsewhere"


@pytest.mark.parametrize("content", [b"", bytes(2000), b"\xa5" * 2000], ids=["empty", "zeros", "garbage"])
def test_a_log_that_is_unreadable_from_its_first_byte_is_damage_when_more_is_known_of_it(
    tmp_path: Path, content: bytes
) -> None:
    machine = Machine(tmp_path)
    machine.commit(CreateTxn("/known", b"", OPEN_ACL, 0, 1), 0)
    machine.store.close()
    log = machine.path(machine.files[0])
    log.write_bytes(content)
    store = Store(str(tmp_path), contradiction=contradiction)
    store.open()
    with pytest.raises(DamagedDataError, match=r"cannot be read from its first byte on.*/known.*left as it is"):
        store.recover(**TREE_BOUNDS)
    store.close()
    assert log.read_bytes() == content


@pytest.mark.parametrize("content", [b"", b"OTTLAZ", bytes(2000)], ids=["empty", "torn header", "zeros"])
def test_a_log_that_was_torn_when_it_was_made_does_not_stop_the_start(tmp_path: Path, content: bytes) -> None:
    machine = Machine(tmp_path)
    machine.commit(CreateTxn("/known", b"", OPEN_ACL, 0, 1), 0)
    machine.store.log.roll()
    machine.commit(CreateTxn("/unsynced", b"", OPEN_ACL, 0, 2), 0, durable_zxid=1)
    machine.store.close()
    machine.path(machine.files[1]).write_bytes(content)
    store = Store(str(tmp_path), contradiction=contradiction)
    store.open()
    assert store.recover(**TREE_BOUNDS).last_zxid == 1
    store.close()


def test_transactions_that_only_a_damaged_snapshot_had_stop_the_start(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for number in range(4):
        machine.commit(CreateTxn(f"/n{number}", b"", OPEN_ACL, 0, number + 1), 0)
    machine.snapshot()
    machine.store.close()
    log = machine.path("log.0000000000000001")
    log.write_bytes(log.read_bytes()[:-3])
    snapshot = machine.path("snapshot.0000000000000004")
    snapshot.write_bytes(snapshot.read_bytes()[:-1])
    before = log.read_bytes()
    with pytest.raises(DamagedDataError, match="0x4 to 0x4 were acknowledged"):
        Machine(tmp_path)
    assert log.read_bytes() == before


def test_a_lost_log_file_stops_the_start(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for number in range(3):
        machine.commit(CreateTxn(f"/n{number}", b"", OPEN_ACL, 0, number + 1), 0)
        machine.store.log.roll()
    machine.store.close()
    machine.path(machine.files[1]).unlink()
    with pytest.raises(DamagedDataError):
        Machine(tmp_path)


def test_unsynced_transactions_in_a_new_file_go_with_the_torn_tail_of_the_old(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for number in range(4):
        machine.commit(CreateTxn(f"/n{number}", b"", OPEN_ACL, 0, number + 1), 0, durable_zxid=1)
        if number == 2:
            machine.store.log.roll()
    machine.store.close()
    old = machine.path(machine.files[0])
    old.write_bytes(old.read_bytes()[:-3])
    recovered = Machine(tmp_path)
    assert recovered.database.last_zxid == 2
    assert len(recovered.files) == 1
    recovered.store.close()


def test_a_damaged_snapshot_falls_back_to_the_one_before_and_the_log(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for number in range(6):
        machine.commit(CreateTxn(f"/n{number}", b"", OPEN_ACL, 0, number + 1), 0)
        if number in (1, 3):
            machine.snapshot()
    machine.store.close()
    newest = machine.path("snapshot.0000000000000004")
    newest.write_bytes(newest.read_bytes()[:-1])
    recovered = Machine(tmp_path)
    assert same(recovered.database, machine.database)
    recovered.store.close()


def test_old_snapshots_and_the_logs_they_cover_are_removed(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    for number in range(6):
        machine.commit(CreateTxn(f"/n{number}", b"", OPEN_ACL, 0, number + 1), 0)
        machine.snapshot()
    assert [name for name in machine.files if name.startswith("snapshot")] == [
        f"snapshot.{zxid:016x}" for zxid in (4, 5, 6)
    ]
    assert [name for name in machine.files if name.startswith("log")] == [f"log.{zxid:016x}" for zxid in (5, 6)]
    machine.store.close()
    assert same(Machine(tmp_path).database, machine.database)


def test_a_snapshot_is_named_only_after_it_is_on_disk(tmp_path: Path) -> None:
    disk = RecordingDisk()
    store = Store(str(tmp_path), disk)
    store.open()
    writer = store.begin_snapshot(Database().view())
    for _ in writer.write():
        pass
    writer.finish()
    calls = [call[0] for call in disk.trace]
    assert calls[-3:] == ["sync", "rename", "sync_directory"]
    store.close()


def test_an_unfinished_snapshot_is_removed_at_start(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.store.begin_snapshot(machine.database.view())
    machine.store.remove_unfinished()
    assert machine.files == []
    machine.store.close()


def test_two_servers_cannot_share_a_directory(tmp_path: Path) -> None:
    first = Machine(tmp_path)
    with pytest.raises(OperatorError, match="in use by another server"):
        Machine(tmp_path)
    first.store.close()


def test_the_data_of_an_apache_zookeeper_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "version-2").mkdir()
    with pytest.raises(ConfigError, match="Apache ZooKeeper"):
        Machine(tmp_path)


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    from crc32c import crc32c

    machine = Machine(tmp_path)
    machine.commit(CreateTxn("/a", b"", OPEN_ACL, 0, 1), 0)
    machine.store.close()
    log = machine.path(machine.files[0])
    header = b"OTTLAZKT" + (2).to_bytes(4)
    log.write_bytes(header + crc32c(header).to_bytes(4) + log.read_bytes()[16:])
    with pytest.raises(DamagedDataError, match="version 2"):
        Machine(tmp_path)


@pytest.mark.parametrize(
    "txn",
    [
        CreateSessionTxn(4000, b"x" * 16),
        CloseSessionTxn(),
        CreateTxn("/a", None, OPEN_ACL, -(1 << 63), 3),
        DeleteTxn("/ä"),
        SetDataTxn("/a", b"", -5),
        SetAclTxn("/a", OPEN_ACL, 2),
        MultiTxn((CheckTxn("/a"), DeleteTxn("/b"))),
    ],
)
def test_every_transaction_survives_its_encoding(txn: Txn) -> None:
    logged = LoggedTxn(1 << 40, 123, -7, txn)
    assert decode_logged_txn(encode_logged_txn(logged, 9)) == (logged, 9)


def test_a_snapshot_of_many_nodes_is_written_in_small_pieces() -> None:
    database = Database()
    for number in range(2000):
        txn = CreateTxn(f"/n{number}", b"x" * 1000, OPEN_ACL, 0, number + 1)
        database.apply(LoggedTxn(database.last_zxid + 1, 0, 0, txn))
    pieces = list(encode_snapshot(database.view()))
    assert max(len(piece) for piece in pieces) < 1 << 18
    assert decode_snapshot(b"".join(pieces)) == database.view()


def test_files_that_are_not_ours_are_left_alone(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.path("log.old-backup").write_bytes(b"x")
    machine.path("snapshot.").write_bytes(b"x")
    machine.commit(CreateTxn("/a", b"", OPEN_ACL, 0, 1), 0)
    machine.store.close()
    assert same(Machine(tmp_path).database, machine.database)


def test_a_directory_that_cannot_be_made_is_the_operators_to_change(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OperatorError, match="cannot be used"):
        Machine(tmp_path / "file")
