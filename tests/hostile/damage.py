"""One file of a directory damaged: what a bad disk, a full one, a wrong copy or a careless hand leave behind.

    flip        one byte is another
    truncate    shorter, down to nothing
    zero        a block of zeros in the midst of it
    append      garbage at its end
    remove      gone
    directory   a directory of its name stands there
    swap        exchanged with another file of the same partition

Two checkpoint files of a log directory are not exchanged: they are texts of one form without a checksum, so that one
reads as well as the other. For the same reason a digit that became another digit passes for what was written.
"""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

GARBAGE_BYTES_MAX = 300
BLOCK_BYTES = 512
_LOG_SHARE = 0.35
_ACTIVE_SHARE = 0.4


class Damage(NamedTuple):
    kind: str
    paths: tuple[Path, ...]
    position: int
    """The first byte that is not what it was."""

    def __str__(self) -> str:
        return f"{self.kind} {' and '.join(map(str, self.paths))} from {self.position} on"


def damage_one(rng: random.Random, files: Sequence[Path]) -> Damage:
    """A log file often, and then often one that is appended to. Else every kind of file is as likely as any other."""
    by_kind: dict[str, list[Path]] = {}
    for path in sorted(files):
        by_kind.setdefault(path.suffix or path.name, []).append(path)
    path = rng.choice(by_kind[".log" if rng.random() < _LOG_SHARE else rng.choice(sorted(by_kind))])
    if path.suffix == ".log" and rng.random() < _ACTIVE_SHARE:
        path = max(path.parent.glob("*.log"))
    return rng.choice(KINDS)(rng, path)


def _flip(rng: random.Random, path: Path) -> Damage:
    data = bytearray(path.read_bytes() or b"\0")
    position = rng.randrange(len(data))
    data[position] ^= rng.randrange(1, 256)
    path.write_bytes(data)
    return Damage("flip", (path,), position)


def _truncate(rng: random.Random, path: Path) -> Damage:
    data = path.read_bytes()
    length = rng.randrange(len(data)) if data else 0
    path.write_bytes(data[:length])
    return Damage("truncate", (path,), length)


def _zero(rng: random.Random, path: Path) -> Damage:
    data = bytearray(path.read_bytes())
    position = rng.randrange(len(data)) if data else 0
    end = min(len(data), position + BLOCK_BYTES)
    data[position:end] = bytes(end - position)
    path.write_bytes(data)
    return Damage("zero", (path,), position)


def _append(rng: random.Random, path: Path) -> Damage:
    data = path.read_bytes()
    path.write_bytes(data + rng.randbytes(rng.randrange(1, GARBAGE_BYTES_MAX)))
    return Damage("append", (path,), len(data))


def _remove(rng: random.Random, path: Path) -> Damage:
    path.unlink()
    return Damage("remove", (path,), 0)


def _directory(rng: random.Random, path: Path) -> Damage:
    path.unlink()
    path.mkdir()
    return Damage("directory", (path,), 0)


def _swap(rng: random.Random, path: Path) -> Damage:
    beside = sorted(found for found in path.parent.iterdir() if found.is_file() and found.suffix)
    if path.name.endswith("-checkpoint") or not beside:
        return _flip(rng, path)
    other = rng.choice(beside)
    here, there = path.read_bytes(), other.read_bytes()
    path.write_bytes(there)
    other.write_bytes(here)
    return Damage("swap", (path, other), 0)


KINDS: tuple[Callable[[random.Random, Path], Damage], ...] = (
    _flip, _truncate, _zero, _append, _remove, _directory, _swap,
)  # fmt: skip
