"""Frames that a stranger may send: requests of every API that is served, with something wrong in each.

values      readable, with known names and numbers that nobody expects (`support.hostile_messages`)
mutated     bytes changed, lengths too
spliced     the beginning of one request and the end of another
cut         shorter than its own lengths say
repeated    one element of an array again and again
not framed  sizes that are wrong, half a header, an API that there is not, another protocol
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hostile.known_state import KnownState
from ottla.protocol.apis import API_INFOS, api_info
from ottla.protocol.codec import encode
from ottla.protocol.headers import RequestHeader, encode_request_header
from ottla.protocol.layout import layout_of
from ottla.protocol.message import Message
from ottla.protocol.messages.produce import ProduceRequest
from support.hostile_messages import HostileMessages
from support.mutated_bytes import mutate

REPEATS = (2, 10, 300, 3000)
_CLIENT_IDS = (None, "", "hostile", "x" * 300, "a\x00b\n", "é")
_OTHER_PROTOCOLS = (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\0" * 64)
_SIZES = (-(1 << 31), -1, 0, 3, 200, 1 << 20, (1 << 31) - 1)

ServedApi = tuple[int, int, int]
"""Key, first and last version."""


class HostileFrame(NamedTuple):
    """What is sent, with its size in front; whether an answer or the end of the connection is due."""

    data: bytes
    is_answered: bool


class HostileRequests:
    """The same seed and state give the same frames."""

    def __init__(self, seed: int, apis: Sequence[ServedApi], state: KnownState) -> None:
        self._messages = HostileMessages(seed, state.topics, state.topic_ids, state.values)
        self._rng = self._messages.rng
        self._apis = apis
        self._kinds: tuple[Callable[[], HostileFrame], ...] = (
            self._values, self._mutated, self._spliced, self._cut, self._repeated, self._not_framed,
        )  # fmt: skip

    def frame(self) -> HostileFrame:
        return self._rng.choices(self._kinds, (45, 25, 8, 7, 8, 7))[0]()

    def _request(self) -> tuple[int, int, Any]:
        key, first, last = self._rng.choice(self._apis)
        version = self._rng.randint(first, last)
        return key, version, self._messages.message(api_info(key).request_class(), version)

    def _encoded(self) -> tuple[int, int, bytes]:
        key, version, request = self._request()
        return key, version, encode(request, version)

    def _frame(self, key: int, version: int, body: bytes, *, is_answered: bool = True) -> HostileFrame:
        header = RequestHeader(key, version, self._rng.randrange(1 << 31), self._rng.choice(_CLIENT_IDS))
        return HostileFrame(_sized(encode_request_header(header) + body), is_answered)

    # The kinds

    def _values(self) -> HostileFrame:
        key, version, request = self._request()
        return self._frame(key, version, encode(request, version), is_answered=_is_answered(request))

    def _mutated(self) -> HostileFrame:
        key, version, body = self._encoded()
        return self._frame(key, version, mutate(self._rng, body))

    def _spliced(self) -> HostileFrame:
        key, version, head = self._encoded()
        _, _, tail = self._encoded()
        cut = self._rng.randrange(len(head) + 1)
        return self._frame(key, version, head[:cut] + tail[self._rng.randrange(len(tail) + 1) :])

    def _cut(self) -> HostileFrame:
        key, version, body = self._encoded()
        return self._frame(key, version, body[: self._rng.randrange(len(body) + 1)])

    def _repeated(self) -> HostileFrame:
        key, version, request = self._request()
        arrays = [field.name for field in layout_of(type(request), version).untagged if field.type == "array"]
        filled = [name for name in arrays if getattr(request, name)]
        if filled:
            name = self._rng.choice(filled)
            setattr(request, name, getattr(request, name) * self._rng.choice(REPEATS))
        return self._frame(key, version, encode(request, version), is_answered=_is_answered(request))

    def _not_framed(self) -> HostileFrame:
        rng = self._rng
        match rng.randrange(4):
            case 0:
                return HostileFrame(struct.pack(">i", rng.choice(_SIZES)) + rng.randbytes(100), is_answered=False)
            case 1:
                return HostileFrame(rng.choice(_OTHER_PROTOCOLS), is_answered=False)
            case 2:
                header = struct.pack(">hh", rng.choice((-1, 999, *API_INFOS)), rng.choice((-1, 0, 99, 32767)))
                return HostileFrame(_sized(header + rng.randbytes(rng.choice((0, 4, 30)))), is_answered=True)
            case _:
                return HostileFrame(_sized(rng.randbytes(rng.randrange(1, 20))), is_answered=True)


def _is_answered(request: Message) -> bool:
    return not (isinstance(request, ProduceRequest) and request.acks == 0)


def _sized(frame: bytes) -> bytes:
    return struct.pack(">i", len(frame)) + frame
