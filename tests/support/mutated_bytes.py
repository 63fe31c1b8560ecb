"""Bytes with a few of them changed: what a bad network, a bad client or somebody who tries would send."""

import random

_EXTREME_BYTES = (b"\x00", b"\x7f", b"\x80", b"\xff")
_EXTREME_LENGTHS = (b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", b"\x80\0\0\0")


def mutate(rng: random.Random, data: bytes) -> bytes:
    mutated = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        position = rng.randrange(len(mutated) + 1)
        match rng.randrange(4):
            case 0:
                mutated[position : position + 1] = rng.choice((*_EXTREME_BYTES, rng.randbytes(1)))
            case 1:
                del mutated[position : position + rng.randrange(1, 9)]
            case 2:
                mutated[position:position] = rng.randbytes(rng.randrange(1, 9))
            case _:
                mutated[position : position + 4] = rng.choice(_EXTREME_LENGTHS)
    return bytes(mutated)
