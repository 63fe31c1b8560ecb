"""Touching free memory takes no more than is to spare, and is given back."""

import mmap

import pytest

from bench import free_memory


@pytest.fixture
def touched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    sizes: list[int] = []

    class Memory(mmap.mmap):
        def madvise(self, option: int, *_range: int) -> None:
            sizes.append(len(self))
            super().madvise(option)

    monkeypatch.setattr(free_memory.mmap, "mmap", Memory)
    return sizes


def test_as_much_as_is_asked_for_is_touched(touched: list[int]) -> None:
    free_memory.touch_free_memory(3)
    assert touched == [3_000_000 // mmap.PAGESIZE * mmap.PAGESIZE]


def test_no_more_than_half_of_what_is_free(touched: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_memory, "_free_bytes", lambda: 2_000_000)
    free_memory.touch_free_memory(3)
    assert touched == [1_000_000 // mmap.PAGESIZE * mmap.PAGESIZE]


def test_nothing_where_nothing_is_free_or_nobody_says(touched: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_memory, "_free_bytes", lambda: 0)
    free_memory.touch_free_memory(3)
    assert touched == []


def test_free_memory_is_known() -> None:
    assert free_memory._free_bytes() > 0
