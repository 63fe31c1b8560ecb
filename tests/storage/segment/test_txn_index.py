from pathlib import Path
from struct import pack

import pytest

from ottla.disk.directory import LogDirectory
from ottla.storage.segment.txn_index import AbortedTransaction, TxnIndex

FIRST = AbortedTransaction(producer_id=7, first_offset=10, last_offset=20, last_stable_offset=15)
SECOND = AbortedTransaction(producer_id=8, first_offset=15, last_offset=30, last_stable_offset=31)


@pytest.fixture
def index(tmp_path: Path) -> TxnIndex:
    return TxnIndex(f"{tmp_path}/a.txnindex", LogDirectory(str(tmp_path)))


def test_there_is_no_file_until_something_was_aborted(index: TxnIndex, tmp_path: Path) -> None:
    assert index.entries == []
    assert list(tmp_path.iterdir()) == []
    index.append(FIRST)
    assert (tmp_path / "a.txnindex").read_bytes() == pack(">hqqqq", 0, 7, 10, 20, 15)


def test_entries_are_read_back(index: TxnIndex, tmp_path: Path) -> None:
    index.append(FIRST)
    index.append(SECOND)
    again = TxnIndex.open(f"{tmp_path}/a.txnindex", LogDirectory(str(tmp_path)))
    assert again.entries == [FIRST, SECOND]
    assert again.is_sane()


def test_truncation_drops_markers_at_or_past_the_offset(index: TxnIndex, tmp_path: Path) -> None:
    index.append(FIRST)
    index.append(SECOND)
    index.truncate_to(30)
    assert index.entries == [FIRST]
    assert (tmp_path / "a.txnindex").stat().st_size == 34


@pytest.mark.parametrize("content", [b"\0" * 33, pack(">hqqqq", 1, 7, 10, 20, 15)])
def test_torn_and_unknown_entries_are_found_out(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.txnindex").write_bytes(content)
    assert not TxnIndex.open(f"{tmp_path}/a.txnindex", LogDirectory(str(tmp_path))).is_sane()
