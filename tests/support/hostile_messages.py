"""Requests that a broker can read and should not believe: known names, and numbers that nobody expects.

Every field gets a value that its type allows, often one with a meaning somewhere (-1, 0, the largest), in combinations
that no client would send. Records are whole batches of which some bytes are wrong, with the checksum made right again.
"""

import random
import struct
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ottla.model import ZERO_UUID
from ottla.protocol.field import Field
from ottla.protocol.message import Struct
from ottla.records.attributes import Codec
from ottla.records.batch import CRC_POSITION
from ottla.records.checksum import crc32c
from ottla.records.record import Record, encode_batch
from support.message_values import INTEGER_BITS, random_message, random_scalar

_KNOWN_SHARE = 0.7
_CHECKED_FROM = CRC_POSITION + 4
_HEADER_FIELDS = (0, 8, 12, 16, 17, 21, 23, 27, 35, 43, 51, 53, 57, 61)
_NAMES = ("", ".", "..", "a/b", "x y", "é", "n" * 300, "nobody", "-1", "0", "consumer", "range", "retention.ms")


class HostileMessages:
    """`topics` and `topic_ids` are those that exist, so that requests get past the first check.

    `known`: what exists besides, by the name of the field that it is for; such a field mostly has one of these values.
    """

    def __init__(
        self,
        seed: int,
        topics: list[str],
        topic_ids: list[uuid.UUID],
        known: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self.rng = random.Random(seed)
        self._known = known or {}
        self._strings = [*topics, *topics, *_NAMES]
        self._ids = [*topic_ids, ZERO_UUID, uuid.UUID(int=seed + 1)]

    def message(self, message_class: type[Struct], version: int) -> Any:
        return random_message(self.rng, message_class, version, self._scalar)

    def _scalar(self, rng: random.Random, field: Field[Any]) -> Any:
        if (known := self._known.get(field.name)) and rng.random() < _KNOWN_SHARE:
            return rng.choice(known)
        if bits := INTEGER_BITS.get(field.type):
            low, high = 0 if field.type == "uint16" else -(1 << bits), (1 << bits) - 1
            if field.name.endswith(("wait_ms", "timeout_ms")):
                return rng.choice((-1, 0, 1, 5, low))
            wanted = rng.choice((0, 0, 0, 1, 1, 2, -1, -1, -2, -3, 100, 1 << 20, low, high, rng.randint(low, high)))
            return max(low, min(high, wanted))
        match field.type:
            case "float64":
                return rng.choice((0.0, -1.0, 1e300, float("nan"), float("inf")))
            case "uuid":
                return rng.choice(self._ids)
            case "string":
                return rng.choice(self._strings)
            case "records":
                return self.records()
            case _:
                return random_scalar(rng, field)

    def records(self) -> bytes:
        rng = self.rng
        rows = [
            Record(offset, rng.choice((-1, 0, 1_700_000_000_000, 1 << 62)), rng.choice((None, b"key")), b"value" * size)
            for offset, size in enumerate(rng.choices((0, 1, 1_000), k=rng.choice((1, 1, 3, 20))))
        ]
        batch = bytearray(
            encode_batch(
                rows,
                compression=rng.choice(list(Codec)),
                producer_id=rng.choice((-1, -1, 0, 5)),
                producer_epoch=rng.choice((-1, 0, 1, 32767)),
                base_sequence=rng.choice((-1, 0, 1, (1 << 31) - 1)),
                is_transactional=rng.random() < 0.05,
                is_control=rng.random() < 0.05,
            )
        )
        kind = rng.random()
        if kind < 0.5:
            self._spoil(batch)
        elif kind < 0.7:
            batch = batch[: rng.randrange(len(batch))] + rng.randbytes(rng.choice((0, 1, 30)))
        return bytes(batch) * rng.choice((1, 1, 1, 2))

    def _spoil(self, batch: bytearray) -> None:
        rng = self.rng
        for _ in range(rng.choice((1, 1, 2, 5))):
            position = rng.choice((*_HEADER_FIELDS, rng.randrange(len(batch)))) + rng.choice((0, 0, 1, 3, 7))
            batch[min(position, len(batch) - 1)] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        if rng.random() < 0.7:
            struct.pack_into(">I", batch, CRC_POSITION, crc32c(bytes(batch[_CHECKED_FROM:])))
