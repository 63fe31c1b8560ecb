"""Which change is reported to which watch, and which watches it uses up."""

import pytest

from ottla.coordination.acl import OPEN_ACL
from ottla.coordination.operations import Change, EventType
from ottla.coordination.watches import WatcherType, Watches

CREATED, DELETED, CHANGED, CHILDREN = EventType


def told(watches: Watches[str], kind: EventType, path: str) -> list[str]:
    return list(watches.trigger(Change(kind, path, OPEN_ACL)))


@pytest.fixture
def watches() -> Watches[str]:
    return Watches()


def test_a_standard_watch_reports_once(watches: Watches[str]) -> None:
    watches.data.add("/a", "w")
    assert told(watches, CHANGED, "/a") == ["w"]
    assert told(watches, CHANGED, "/a") == []
    assert len(watches) == 0


def test_deletion_is_told_once_to_a_watcher_of_both_data_and_children(watches: Watches[str]) -> None:
    watches.data.add("/a", "w")
    watches.children.add("/a", "w")
    watches.children.add("/a", "v")
    assert told(watches, DELETED, "/a") == ["w", "v"]
    assert len(watches) == 0


def test_child_watches_hear_of_children_and_not_of_data(watches: Watches[str]) -> None:
    watches.children.add("/a", "w")
    assert told(watches, CHANGED, "/a") == []
    assert told(watches, CHILDREN, "/a") == ["w"]


def test_a_persistent_watch_stays_for_data_and_children(watches: Watches[str]) -> None:
    watches.add_persistent("/a", "w")
    for kind in (CREATED, CHANGED, CHILDREN, DELETED, CREATED):
        assert told(watches, kind, "/a") == ["w"]
    assert told(watches, CHANGED, "/a/b") == []


def test_a_recursive_watch_covers_all_below_and_skips_children_changes(watches: Watches[str]) -> None:
    watches.add_recursive("/a", "w")
    watches.data.add("/a/b/c", "w")
    assert told(watches, CREATED, "/a/b/c") == ["w"]
    assert told(watches, CHILDREN, "/a") == []
    assert told(watches, DELETED, "/a") == ["w"]
    assert told(watches, CREATED, "/ab") == []
    watches.add_recursive("/", "root")
    assert told(watches, CREATED, "/a/b") == ["w", "root"]


def test_a_standard_watch_on_the_path_of_a_persistent_one_leaves_it_in_place(watches: Watches[str]) -> None:
    watches.add_persistent("/a", "w")
    watches.data.add("/a", "w")
    assert told(watches, CHANGED, "/a") == ["w"]
    assert not watches.has("/a", WatcherType.DATA, "w")
    assert watches.has("/a", WatcherType.PERSISTENT, "w")


@pytest.mark.parametrize("kind", [WatcherType.PERSISTENT, WatcherType.ANY])
def test_removing_a_persistent_watch_removes_both_sides(watches: Watches[str], kind: WatcherType) -> None:
    watches.add_persistent("/a", "w")
    assert watches.has("/a", kind, "w")
    assert watches.remove("/a", kind, "w")
    assert not watches.remove("/a", kind, "w")
    assert len(watches) == 0


def test_removing_the_last_recursive_watch_ends_the_walk_up(watches: Watches[str]) -> None:
    watches.add_recursive("/a", "w")
    watches.add_recursive("/a", "w")
    assert watches.remove("/a", WatcherType.PERSISTENT_RECURSIVE, "w")
    assert told(watches, CHANGED, "/a/b") == []


def test_a_watcher_that_leaves_takes_all_its_watches(watches: Watches[str]) -> None:
    watches.data.add("/a", "w")
    watches.add_recursive("/b", "w")
    watches.children.add("/b", "v")
    watches.remove_watcher("w")
    assert told(watches, CHANGED, "/a") == []
    assert told(watches, CHILDREN, "/b") == ["v"]
