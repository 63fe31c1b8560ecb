"""The pure tree: ZooKeeper's rules one by one, and Hypothesis against a naive model of them."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.coordination.acl import ALL, ANYONE, OPEN_ACL, READ, Acl, Caller, Id, digest_id
from ottla.coordination.errors import (
    BadArgumentsError,
    BadVersionError,
    InvalidAclError,
    NoAuthError,
    NoChildrenForEphemeralsError,
    NodeExistsError,
    NoNodeError,
    NotEmptyError,
    QuotaExceededError,
    ZooKeeperError,
)
from ottla.coordination.operations import (
    CONTAINER_OWNER,
    Check,
    CloseSessionTxn,
    Create,
    Created,
    CreateMode,
    Delete,
    DeleteContainer,
    EventType,
    Multi,
    SetAcl,
    SetData,
    ttl_of_owner,
    ttl_owner,
)
from ottla.coordination.planner import MultiFailedError
from ottla.coordination.stat import decode_stat, int32, next_version
from ottla.coordination.tree import ZnodeTree

CALLER = Caller(7, (Id("ip", "127.0.0.1"),))


class Driver:
    """A tree with a zxid that counts up."""

    def __init__(self, **bounds: int) -> None:
        self.tree = ZnodeTree(**bounds)
        self.zxid = 0

    def do(self, operation: Any, caller: Caller = CALLER) -> Any:
        self.zxid += 1
        return self.tree.execute(operation, caller, self.zxid, 1000 + self.zxid).result

    def create(self, path: str, data: bytes = b"", mode: CreateMode = CreateMode.PERSISTENT, **options: Any) -> str:
        created = self.do(Create(path, data, OPEN_ACL, mode, **options))
        assert isinstance(created, Created)
        return created.path

    def close_session(self, session_id: int) -> list[Any]:
        self.zxid += 1
        return self.tree.apply(CloseSessionTxn(), session_id, self.zxid, 0).changes


@pytest.fixture
def driver() -> Driver:
    return Driver()


def test_a_new_tree_has_zookeepers_system_nodes_and_root_looks_as_it_does_there(driver: Driver) -> None:
    assert list(driver.tree.children["/zookeeper"]) == ["quota", "config"]
    assert driver.tree.stat("/").cversion == -1
    assert driver.tree.stat("/").num_children == 1


def test_create_sets_every_field_of_the_stat(driver: Driver) -> None:
    driver.create("/a", b"abc")
    stat = driver.tree.stat("/a")
    assert stat == (1, 1, 1001, 1001, 0, 0, 0, 0, 3, 0, 1)
    assert decode_stat(stat.encode()) == stat
    assert driver.tree.stat("/").pzxid == 1


def test_set_changes_version_mzxid_and_mtime_only(driver: Driver) -> None:
    driver.create("/a", b"abc")
    before = driver.tree.stat("/a")
    after = driver.do(SetData("/a", b"x", 0))
    assert after == before._replace(mzxid=2, mtime=1002, version=1, data_length=1)


def test_children_changes_count_creations_and_deletions(driver: Driver) -> None:
    driver.create("/a")
    driver.create("/a/b")
    assert driver.tree.stat("/a").cversion == 1
    driver.do(Delete("/a/b"))
    stat = driver.tree.stat("/a")
    assert (stat.cversion, stat.num_children, stat.pzxid) == (2, 0, 3)


def test_sequential_number_is_the_parents_count_of_creations(driver: Driver) -> None:
    driver.create("/q")
    assert driver.create("/q/n-", mode=CreateMode.PERSISTENT_SEQUENTIAL) == "/q/n-0000000000"
    driver.do(Delete("/q/n-0000000000"))
    driver.create("/q/other")
    assert driver.create("/q/n-", mode=CreateMode.EPHEMERAL_SEQUENTIAL) == "/q/n-0000000002"
    assert driver.create("/q/", mode=CreateMode.PERSISTENT_SEQUENTIAL) == "/q/0000000003"


@pytest.mark.parametrize(
    "path", ["", "a", "/a/", "//", "/a//b", "/.", "/a/..", "/a/./b", "/\x01", "/a\x7f", "/\ue000", "/\ufff0", "/\0"]
)
def test_paths_that_zookeeper_refuses_are_bad_arguments(driver: Driver, path: str) -> None:
    driver.create("/a")
    with pytest.raises((BadArgumentsError, NoNodeError)):
        driver.create(path)
    with pytest.raises(BadArgumentsError):
        driver.do(SetData(path, b""))


@pytest.mark.parametrize("path", ["/..a", "/a..", "/...", "/a b", "/\u00e9", "/\U0001f600"])
def test_unusual_paths_that_zookeeper_allows_are_allowed(driver: Driver, path: str) -> None:
    assert driver.create(path) == path


def test_create_errors_are_zookeepers(driver: Driver) -> None:
    driver.create("/e", mode=CreateMode.EPHEMERAL)
    with pytest.raises(NodeExistsError):
        driver.create("/e")
    with pytest.raises(NoChildrenForEphemeralsError):
        driver.create("/e/child")
    with pytest.raises(NoNodeError):
        driver.create("/no/child")
    with pytest.raises(NodeExistsError):
        driver.create("/")


def test_delete_errors_are_zookeepers(driver: Driver) -> None:
    driver.create("/a")
    driver.create("/a/b")
    with pytest.raises(NotEmptyError):
        driver.do(Delete("/a"))
    with pytest.raises(BadVersionError):
        driver.do(Delete("/a", 5))
    with pytest.raises(NoNodeError):
        driver.do(Delete("/none"))
    for path in ("/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"):
        with pytest.raises(BadArgumentsError):
            driver.do(Delete(path))


def test_set_and_check_errors_are_zookeepers(driver: Driver) -> None:
    driver.create("/a")
    with pytest.raises(BadVersionError):
        driver.do(SetData("/a", b"", 1))
    with pytest.raises(NoNodeError):
        driver.do(SetData("/b", b""))
    with pytest.raises(BadVersionError):
        driver.do(Check("/a", 1))
    driver.do(Check("/a", 0))


def test_versions_wrap_and_never_become_minus_one() -> None:
    assert next_version(2**31 - 1) == -(2**31)
    assert next_version(-2) == 0
    assert int32(2**31) == -(2**31)


def test_closing_a_session_removes_its_ephemerals_and_reports_them(driver: Driver) -> None:
    driver.create("/p")
    driver.create("/p/e1", mode=CreateMode.EPHEMERAL)
    driver.create("/p/e2", mode=CreateMode.EPHEMERAL)
    driver.do(Create("/p/other", b"", OPEN_ACL, CreateMode.EPHEMERAL), CALLER._replace(session_id=8))
    driver.do(Delete("/p/e1"))
    changes = driver.close_session(7)
    assert [(change.type, change.path) for change in changes] == [
        (EventType.NODE_DELETED, "/p/e2"),
        (EventType.NODE_CHILDREN_CHANGED, "/p"),
    ]
    assert list(driver.tree.children["/p"]) == ["other"]
    assert list(driver.tree.ephemerals) == [8]


def test_containers_go_when_their_last_child_went_and_ttl_nodes_when_their_time_is_up(driver: Driver) -> None:
    driver.create("/c", mode=CreateMode.CONTAINER)
    driver.create("/t", mode=CreateMode.PERSISTENT_WITH_TTL, ttl_ms=10)
    assert driver.tree.node("/c").ephemeral_owner == CONTAINER_OWNER
    assert driver.tree.stat("/c").ephemeral_owner == driver.tree.stat("/t").ephemeral_owner == 0
    assert driver.tree.expired_nodes(1002) == []
    driver.create("/c/child")
    driver.do(Delete("/c/child"))
    assert driver.tree.expired_nodes(1002) == ["/c"]
    assert driver.tree.expired_nodes(1013) == ["/c", "/t"]
    driver.do(DeleteContainer("/c"))
    driver.create("/t/child")
    assert driver.tree.expired_nodes(1013) == []


def test_a_session_owned_node_is_not_taken_for_a_container(driver: Driver) -> None:
    driver.create("/e", mode=CreateMode.EPHEMERAL)
    with pytest.raises(BadVersionError):
        driver.do(DeleteContainer("/e"))


@given(st.integers(1, (1 << 40) - 1))
def test_ttl_survives_its_place_in_the_owner_field(ttl_ms: int) -> None:
    assert ttl_of_owner(ttl_owner(ttl_ms)) == ttl_ms
    assert -(1 << 63) < ttl_owner(ttl_ms) < 0


@pytest.mark.parametrize(("mode", "ttl_ms"), [(CreateMode.PERSISTENT, 5), (CreateMode.PERSISTENT_WITH_TTL, 0)])
def test_a_ttl_that_does_not_fit_the_mode_is_refused(driver: Driver, mode: CreateMode, ttl_ms: int) -> None:
    with pytest.raises(BadArgumentsError):
        driver.create("/t", mode=mode, ttl_ms=ttl_ms)


def test_multi_sees_its_own_earlier_operations(driver: Driver) -> None:
    results = driver.do(
        Multi(
            (
                Create("/m", b"", OPEN_ACL),
                Create("/m/s", b"1", OPEN_ACL, CreateMode.PERSISTENT_SEQUENTIAL),
                Create("/m/s", b"2", OPEN_ACL, CreateMode.PERSISTENT_SEQUENTIAL),
                SetData("/m", b"x", 0),
                Check("/m", 1),
                Delete("/m/s0000000000"),
            )
        )
    )
    assert [results[0].path, results[1].path, results[2].path] == ["/m", "/m/s0000000000", "/m/s0000000001"]
    assert results[3].version == 1
    assert results[4:] == [None, None]
    assert list(driver.tree.children["/m"]) == ["s0000000001"]


def test_a_refused_multi_changes_nothing_and_says_which_operation_was_at_fault(driver: Driver) -> None:
    driver.create("/a")
    nodes = dict(driver.tree.nodes)
    with pytest.raises(MultiFailedError) as failure:
        driver.do(Multi((Create("/b", b"", OPEN_ACL), Delete("/a"), Delete("/a"), Create("/c", b"", OPEN_ACL))))
    assert failure.value.codes == [0, 0, NoNodeError.code, -2]
    assert driver.tree.nodes == nodes


def test_permissions_are_asked_of_parent_for_create_and_delete_and_of_the_node_for_the_rest(driver: Driver) -> None:
    owner = digest_id("bob:secret")
    bob = Caller(8, (owner,))
    driver.do(Create("/a", b"", (Acl(ALL, owner), Acl(READ, ANYONE))), bob)
    driver.tree.readable_node("/a", CALLER)
    for operation in (Create("/a/b", b"", OPEN_ACL), SetData("/a", b""), SetAcl("/a", OPEN_ACL)):
        with pytest.raises(NoAuthError):
            driver.do(operation)
    driver.do(Create("/a/b", b"", (Acl(READ, owner),)), bob)
    with pytest.raises(NoAuthError):
        driver.do(Delete("/a/b"))
    with pytest.raises(NoAuthError):
        driver.tree.readable_node("/a/b", CALLER)
    driver.do(Delete("/a/b"), bob)
    driver.do(Delete("/a"))


def test_set_acl_checks_and_counts_its_own_version(driver: Driver) -> None:
    driver.create("/a")
    assert driver.do(SetAcl("/a", OPEN_ACL, 0)).aversion == 1
    with pytest.raises(BadVersionError):
        driver.do(SetAcl("/a", OPEN_ACL, 0))


@pytest.mark.parametrize(
    "acl",
    [
        (),
        (Acl(ALL, Id("auth", "")),),
        (Acl(ALL, Id("world", "bob")),),
        (Acl(ALL, Id("digest", "bob")),),
        (Acl(ALL, Id("ip", "300.1.1.1")),),
        (Acl(ALL, Id("ip", "10.0.0.0/33")),),
        (Acl(ALL, Id("sasl", "bob")),),
    ],
)
def test_acls_that_cannot_be_are_refused(driver: Driver, acl: tuple[Acl, ...]) -> None:
    with pytest.raises(InvalidAclError):
        driver.do(Create("/a", b"", acl))


def test_auth_scheme_becomes_the_callers_proven_identities(driver: Driver) -> None:
    identity = digest_id("bob:secret")
    driver.do(Create("/a", b"", (Acl(ALL, Id("auth", "")),)), Caller(8, (Id("ip", "::1"), identity)))
    assert driver.tree.node("/a").acl == (Acl(ALL, identity),)


def test_a_full_tree_refuses_growth_and_still_allows_deletion() -> None:
    driver = Driver(nodes_max=5, bytes_max=100)
    driver.create("/a", b"x" * 10)
    with pytest.raises(QuotaExceededError):
        driver.create("/b")
    with pytest.raises(QuotaExceededError):
        driver.do(SetData("/a", b"x" * 200))
    driver.do(Multi((Delete("/a"), Create("/b", b"", OPEN_ACL))))
    driver.do(Delete("/b"))
    assert driver.tree.bytes_held == Driver().tree.bytes_held


# The model: a dictionary from path to [data, version, number of children ever created, owner].

NAMES = ["/a", "/b", "/a/x", "/a/y", "/a/x/1", "/b/z"]
paths = st.sampled_from(NAMES)
versions = st.sampled_from([-1, 0, 1])
singles = st.one_of(
    st.builds(
        Create,
        paths,
        st.binary(max_size=3),
        st.just(OPEN_ACL),
        st.sampled_from([CreateMode(flag) for flag in range(4)]),
        st.just(-1),
    ),
    st.builds(Delete, paths, versions),
    st.builds(SetData, paths, st.binary(max_size=3), versions),
    st.builds(Check, paths, versions),
)
operations = st.one_of(singles, st.builds(Multi, st.lists(singles, max_size=4).map(tuple)), st.sampled_from([1, 2]))


class Model:
    def __init__(self) -> None:
        self.nodes: dict[str, list[Any]] = {"/": [b"", 0, 0, 0]}

    def run(self, operation: Any, session: int) -> bool:
        if isinstance(operation, int):
            self.nodes = {path: node for path, node in self.nodes.items() if node[3] != operation}
            return True
        before = {path: list(node) for path, node in self.nodes.items()}
        singles = operation.operations if isinstance(operation, Multi) else (operation,)
        if all(self.single(single, session) for single in singles):
            return True
        self.nodes = before
        return False

    def single(self, operation: Any, session: int) -> bool:
        if isinstance(operation, Create):
            return self.create(operation, session)
        node = self.nodes.get(operation.path)
        if node is None or operation.version not in (-1, node[1]):
            return False
        if isinstance(operation, Delete):
            if any(path.startswith(operation.path + "/") for path in self.nodes):
                return False
            del self.nodes[operation.path]
        if isinstance(operation, SetData):
            node[:2] = operation.data, node[1] + 1
        return True

    def create(self, create: Create, session: int) -> bool:
        parent = self.nodes.get(create.path.rsplit("/", 1)[0] or "/")
        if parent is None:
            return False
        path = create.path + (f"{parent[2]:010d}" if create.mode & 2 else "")
        if path in self.nodes or parent[3]:
            return False
        parent[2] += 1
        self.nodes[path] = [create.data, 0, 0, session if create.mode & 1 else 0]
        return True


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(operations, st.sampled_from([1, 2])), max_size=40))
def test_tree_equals_a_naive_model_under_any_operations(steps: list[tuple[Any, int]]) -> None:
    driver, model = Driver(), Model()
    for operation, session in steps:
        expected = model.run(operation, session)
        try:
            if isinstance(operation, int):
                driver.close_session(operation)
            else:
                driver.do(operation, Caller(session, ()))
            succeeded = True
        except ZooKeeperError:
            succeeded = False
        assert succeeded == expected
    driver.tree.check_invariants()
    found = {
        path: [node.data, node.version, node.creations, node.ephemeral_owner]
        for path, node in driver.tree.nodes.items()
        if not path.startswith("/zookeeper")
    }
    assert found == model.nodes
