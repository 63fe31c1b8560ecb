from pathlib import Path

import pytest

from ottla.broker.log_dir_contents import LogDirContents, look_into, warn_of_unknown_topics
from ottla.coordination import paths

CLUSTER = "thZDzCkNTueY2KLrT0plMg"


@pytest.fixture
def contents(tmp_path: Path) -> LogDirContents:
    for name in ("a-0", "a-1", "b-0", "gone-0.0123456789abcdef-delete", "lost+found"):
        (tmp_path / name).mkdir()
    return look_into([str(tmp_path), str(tmp_path / "not there")], CLUSTER)


def test_nothing_contradicts_a_tree_that_has_all(contents: LogDirContents) -> None:
    known = {paths.CLUSTER_ID, paths.topic("a"), paths.topic("b"), paths.topic("without partitions here")}
    assert contents.contradiction(known.__contains__) is None
    assert LogDirContents(None, {}).contradiction(lambda path: False) is None


def test_cluster_and_topics_that_a_tree_must_have_had_are_told(contents: LogDirContents) -> None:
    missing = contents.contradiction({paths.topic("a")}.__contains__)
    assert missing is not None
    assert CLUSTER in missing
    assert "(b)" in missing


def test_unknown_topics_are_counted_and_the_way_out_is_named(
    contents: LogDirContents, caplog: pytest.LogCaptureFixture
) -> None:
    warn_of_unknown_topics(contents, ["a", "b"], ["/data"])
    assert caplog.text == ""
    warn_of_unknown_topics(contents, ["b"], ["/data"])
    assert "2 partitions of 1 topics that ZooKeeper does not know (a)" in caplog.text
    assert "ottla log adopt /data" in caplog.text
