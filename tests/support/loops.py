"""Tests that are coroutines: each runs on an event loop of its own."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run
