"""Waiting for what a cluster will do, without saying when."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(condition: Callable[[], T], timeout_s: float = 30) -> T:
    """The first true outcome of `condition`; an AssertionError when it stays false for half a minute."""
    deadline = time.monotonic() + timeout_s
    while True:
        outcome = condition()
        if outcome:
            return outcome
        assert time.monotonic() < deadline, f"still {outcome!r} after {timeout_s} seconds"
        time.sleep(0.02)
