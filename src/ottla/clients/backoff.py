"""How long to wait before something is tried again: exponential, bounded, with jitter (KIP-144, KIP-580)."""

import random

_JITTER = 0.2


class Backoff:
    """`delay_ms(n)` is the pause after the n-th failure in a row, n from 1 on."""

    __slots__ = ("_first_ms", "_max_ms", "_random")

    def __init__(self, first_ms: float, max_ms: float, randomness: random.Random | None = None) -> None:
        self._first_ms = first_ms
        self._max_ms = max(first_ms, max_ms)
        self._random = randomness or random.Random()

    def delay_ms(self, failures: int) -> float:
        if failures < 1:
            return 0.0
        # 2 to the 30th is past every bound, and a larger exponent would only make a float too large to multiply.
        delay = min(self._max_ms, self._first_ms * float(1 << min(failures - 1, 30)))
        return delay * self._random.uniform(1 - _JITTER, 1 + _JITTER)
