import shutil
from pathlib import Path

import pytest

from ottla.broker.zookeeper_directory import FILE_NAME, check_owner, write_owner
from ottla.errors import OperatorError


def log_dir(path: Path, *, used: bool = True) -> str:
    path.mkdir(parents=True)
    if used:
        (path / "meta.properties").write_text("version=0\nbroker.id=1\n")
    return str(path)


@pytest.fixture
def zookeeper(tmp_path: Path) -> str:
    (tmp_path / "s1" / "zookeeper").mkdir(parents=True)
    return str(tmp_path / "s1" / "zookeeper")


@pytest.mark.parametrize("is_written", [True, False], ids=["owner written down", "of before that was done"])
def test_directory_of_another_broker_is_refused_with_both_and_the_key(
    tmp_path: Path, zookeeper: str, is_written: bool
) -> None:
    first = log_dir(tmp_path / "s1" / "a")
    if is_written:
        write_owner(zookeeper, [first])
    second = log_dir(tmp_path / "s1" / "b", used=False)
    with pytest.raises(OperatorError, match=rf"log.dirs={first}.*log.dirs={second}.*ottla.zookeeper.data.dir"):
        check_owner(zookeeper, [second])
    check_owner(zookeeper, [first])


def test_owner_of_a_directory_of_before_is_who_has_a_broker_already(tmp_path: Path, zookeeper: str) -> None:
    first, second = log_dir(tmp_path / "s1" / "a"), log_dir(tmp_path / "s1" / "b")
    check_owner(zookeeper, [first])
    write_owner(zookeeper, [first])
    with pytest.raises(OperatorError):
        check_owner(zookeeper, [second])


def test_owner_may_add_and_move_log_directories(tmp_path: Path, zookeeper: str) -> None:
    first, added = log_dir(tmp_path / "s1" / "a"), log_dir(tmp_path / "disk2" / "b", used=False)
    write_owner(zookeeper, [first])
    check_owner(zookeeper, [added, first])
    write_owner(zookeeper, [added, first])
    check_owner(zookeeper, [added])
    shutil.move(first, tmp_path / "s1" / "moved")
    shutil.rmtree(added)
    check_owner(zookeeper, [str(tmp_path / "s1" / "moved")])


def test_copy_of_both_belongs_together_though_the_original_is_there(tmp_path: Path, zookeeper: str) -> None:
    write_owner(zookeeper, [log_dir(tmp_path / "s1" / "a")])
    shutil.copytree(tmp_path / "s1", tmp_path / "copy")
    check_owner(str(tmp_path / "copy" / "zookeeper"), [str(tmp_path / "copy" / "a")])


def test_directory_that_does_not_exist_yet_is_anybodys(tmp_path: Path) -> None:
    log_dir(tmp_path / "s1" / "a")
    check_owner(str(tmp_path / "s1" / "zookeeper"), [log_dir(tmp_path / "s1" / "b", used=False)])


def test_owner_is_written_once(tmp_path: Path, zookeeper: str) -> None:
    first = log_dir(tmp_path / "s1" / "a")
    write_owner(zookeeper, [first])
    written = (Path(zookeeper) / FILE_NAME).stat().st_ino
    write_owner(zookeeper, [first])
    assert (Path(zookeeper) / FILE_NAME).read_text() == "../a\n"
    assert (Path(zookeeper) / FILE_NAME).stat().st_ino == written
