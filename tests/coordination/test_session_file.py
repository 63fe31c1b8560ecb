import shutil
from pathlib import Path

import pytest

from ottla.coordination.session_file import SessionFile, SessionIdentity

IDENTITY = SessionIdentity(0x1000_0000_0000_0007, bytes(range(16)))


def test_identity_is_read_back_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    file = SessionFile(str(tmp_path))
    file.save(SessionIdentity(1, b"x"))
    file.save(IDENTITY)
    assert file.load() == IDENTITY
    assert Path(file.path).stat().st_mode & 0o777 == 0o600


def test_negative_session_id_is_read_back(tmp_path: Path) -> None:
    file = SessionFile(str(tmp_path))
    file.save(SessionIdentity(-5, b""))
    assert file.load() == SessionIdentity(-5, b"")


def test_copied_directory_does_not_own_the_session(tmp_path: Path) -> None:
    original = tmp_path / "original"
    original.mkdir()
    SessionFile(str(original)).save(IDENTITY)
    shutil.copytree(original, tmp_path / "copy")
    assert SessionFile(str(tmp_path / "copy")).load() is None
    assert SessionFile(str(tmp_path / "copy"), trust_copies=True).load() == IDENTITY


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"version":1,"inode":', b"\xff"])
def test_garbled_file_is_ignored(tmp_path: Path, content: bytes) -> None:
    file = SessionFile(str(tmp_path))
    Path(file.path).write_bytes(content)
    assert file.load() is None


def test_missing_file_is_no_session_and_removing_it_is_no_error(tmp_path: Path) -> None:
    file = SessionFile(str(tmp_path))
    file.remove()
    assert file.load() is None


def test_what_cannot_be_removed_hinders_no_stop(tmp_path: Path) -> None:
    file = SessionFile(str(tmp_path))
    Path(file.path).mkdir()
    file.remove()
    assert file.load() is None


def test_left_over_temporary_file_does_not_hinder(tmp_path: Path) -> None:
    file = SessionFile(str(tmp_path))
    Path(f"{file.path}.tmp").write_text("half")
    file.save(IDENTITY)
    assert file.load() == IDENTITY
