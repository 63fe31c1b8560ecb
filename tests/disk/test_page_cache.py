"""Bytes that are brought into the page cache."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.disk.page_cache import bring_in
from ottla.disk.system_disk import RWF_NOWAIT
from support.disks import os_error

SIZE = 3_000_000


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[int]:
    """A file of which the page cache has nothing, on disks that can forget."""
    path = tmp_path / "a.log"
    path.write_bytes(bytes(SIZE))
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    yield descriptor
    os.close(descriptor)


def bring_in_all(descriptor: int) -> list[int]:
    counts = []
    while (count := bring_in(descriptor, sum(counts), SIZE)) > 0:
        counts.append(count)
    return counts


def assert_cached(descriptor: int) -> None:
    for position in (*range(0, SIZE, os.sysconf("SC_PAGE_SIZE")), SIZE - 1):
        os.preadv(descriptor, [bytearray(1)], position, RWF_NOWAIT)


def test_every_page_of_a_cold_file_is_there_afterwards(cold: int) -> None:
    assert sum(bring_in_all(cold)) == SIZE
    assert_cached(cold)


def test_the_same_where_files_can_be_sent_to_sockets_only(cold: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise os_error(errno.EINVAL)

    monkeypatch.setattr(os, "sendfile", refuse)
    assert sum(bring_in_all(cold)) == SIZE
    assert_cached(cold)


def test_an_error_of_the_disk_passes(cold: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise os_error(errno.EIO)

    monkeypatch.setattr(os, "sendfile", fail)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        bring_in(cold, 0, SIZE)
