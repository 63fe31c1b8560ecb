"""Ends commands that run until they are stopped: by Ctrl-C and SIGTERM alike, with everything closed behind them."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


@contextmanager
def interruptible() -> Iterator[None]:
    """Within the block SIGTERM raises KeyboardInterrupt as Ctrl-C does; the block ends there, without an error."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, former)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
