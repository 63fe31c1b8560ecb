"""Which partition of an internal topic a name belongs to: Java's `String.hashCode`, without its sign, modulo.

Every broker and some tools compute it, and committed offsets are found by it, so it can never change.
"""

from functools import lru_cache

_INT32 = 1 << 32


def java_hash(text: str) -> int:
    """`String.hashCode`: over UTF-16 units, s[0]*31^(n-1) + ... + s[n-1], as a signed 32-bit integer."""
    value = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (value * 31 + (high << 8 | low)) % _INT32
    return value - _INT32 if value >= _INT32 // 2 else value


@lru_cache(maxsize=8192)  # It is asked for in each heartbeat.
def partition_for(name: str, partition_count: int) -> int:
    """Kafka's `abs`, which makes 0 of the one integer that has no positive counterpart."""
    hashed = java_hash(name)
    return 0 if hashed == -(_INT32 // 2) else abs(hashed) % partition_count
