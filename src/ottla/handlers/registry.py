"""The table of what this broker serves. What is not in it is neither dispatched nor advertised."""

from asyncio import Future
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ottla.errors import KafkaError
from ottla.handlers.context import ClientContext, EncodedResponse, RequestContext
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.message import Response

AnyResponse = Response | EncodedResponse | None
"""What is sent back; None (NO_RESPONSE) sends nothing."""

LaterResponse = AnyResponse | Future[Any]
"""What an awaitable gives. A future is waited for in its turn, and given up when the connection goes."""

Handle = Callable[[RequestContext, Any], AnyResponse | Awaitable[LaterResponse]]
OnError = Callable[[Any, int, KafkaError], AnyResponse]

FastPath = Callable[[ClientContext, memoryview, int], bytes | Response | None]
"""Handles requests of the most usual kind without a message: a frame and where its body begins, to the body of the
response (a Response where something is wrong). None: not of that kind, and nothing has happened."""

OnlyFromBrokers = Callable[[Any], bool]


def always(request: Any) -> bool:
    """Every request of an API is one that only brokers make."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What an API needs of the server beyond the usual. The stages of a request ask these, and know no API by name."""

    fast_path_of: Callable[[int], FastPath | None] = lambda version: None
    """The fast path of a version, where it has one: that is asked first, `handle` is for the rest."""
    only_from_brokers: OnlyFromBrokers | None = None
    """Whether nobody but a broker may make a request: it is refused on a listener that is for clients alone."""
    may_be_pipelined: bool = False
    """Requests may be handled while those before them wait, if these may be pipelined, too."""
    is_heartbeat: bool = False
    """Nobody waits for the response: where a connection has nothing else, its reads are coalesced with others'."""
    is_from_follower: Callable[[Any], bool] | None = None
    """Tells requests of followers from those of consumers: the two are measured apart."""
    codes_when_encoded: Callable[[int], int] = lambda version: 1
    """How many error codes an encoded response has in a version; all of them are NONE."""
    is_known_excess: Callable[[Any, int, int], bool] = lambda request, version, excess: False
    """Whether so many bytes behind a request are those of a client that is known for them, and is served all the same.
    """
    on_unsupported_version: Callable[[], EncodedResponse] | None = None
    """The response, in version 0, to a version that is not served. Without it the connection is closed."""


USUAL = Traits()
ONLY_FROM_BROKERS = Traits(only_from_brokers=always)
"""Of the requests by which the controller and the leaders move the cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerEntry:
    """How the versions of one API are served. `on_error` makes the response that reports an error to a request."""

    api_key: ApiKey
    handle: Handle
    min_version: int
    max_version: int
    on_error: OnError
    traits: Traits


class HandlerTable:
    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[int, HandlerEntry] = {}

    def add(
        self,
        api_key: ApiKey,
        handle: Handle,
        min_version: int,
        max_version: int,
        on_error: OnError,
        traits: Traits = USUAL,
    ) -> None:
        """Serve an API. The versions must be ones that the protocol knows, and each API is added once."""
        known_min, known_max = api_info(api_key).versions
        assert known_min <= min_version <= max_version <= known_max, (api_key, min_version, max_version)
        assert api_key not in self._entries, api_key
        self._entries[api_key] = HandlerEntry(
            api_key=api_key,
            handle=handle,
            min_version=min_version,
            max_version=max_version,
            on_error=on_error,
            traits=traits,
        )

    def find(self, api_key: int, api_version: int) -> HandlerEntry | None:
        """Who serves this version of this API, if anybody does."""
        entry = self._entries.get(api_key)
        if entry is None or not entry.min_version <= api_version <= entry.max_version:
            return None
        return entry

    def entry(self, api_key: int) -> HandlerEntry | None:
        return self._entries.get(api_key)

    def may_be_pipelined(self, api_key: int) -> bool:
        entry = self._entries.get(api_key)
        return entry is not None and entry.traits.may_be_pipelined

    def is_control(self, api_key: int) -> bool:
        """Whether the controller and the leaders move the cluster by this API."""
        entry = self._entries.get(api_key)
        return entry is not None and entry.traits.only_from_brokers is always

    def __iter__(self) -> Iterator[HandlerEntry]:
        """In the order of the API keys, as Kafka advertises them."""
        return iter(sorted(self._entries.values(), key=lambda entry: entry.api_key))

    def __len__(self) -> int:
        return len(self._entries)
