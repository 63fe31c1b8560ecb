"""Fetch (0-18): the four steps of a request in their order.

Version-dependent meaning:
    0-3    records converted down to magic 0 (0-1) or 1 (2-3), no more than CONVERTED_BYTES_MAX for one response
    7+     fetch sessions
    10+    zstd batches may be returned; older clients get UNSUPPORTED_COMPRESSION_TYPE for a topic that asks for zstd
    11+    consumers name their rack, and may read from followers (KIP-392)
    13+    topics by id
    15+    the replica is named in `replica_state`
    16+    where the leaders listen that are named beside errors (from 12 on)
"""

import asyncio
from functools import partial

from ottla.errors import KafkaError
from ottla.handlers.context import EncodedResponse, RequestContext
from ottla.handlers.fetch.deliver import FetchDelivery
from ottla.handlers.fetch.plan import FetchPlanner, is_from_follower
from ottla.handlers.fetch.responses import FetchResponses
from ottla.handlers.fetch.wait import DelayedFetch
from ottla.handlers.registry import HandlerTable, Traits
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchRequest, FetchResponse
from ottla.replication.fetch_reader import FetchReader
from ottla.replication.fetch_session import INVALID_SESSION_ID
from ottla.replication.fetch_session_cache import FetchSessionCache
from ottla.replication.replica_manager import ReplicaManager
from ottla.replication.replica_selector import ReplicaSelector

VERSIONS = (0, 18)
_FIRST_WITH_ERROR = 7

AnyFetchResponse = FetchResponse | EncodedResponse


class FetchHandlers:
    def __init__(
        self,
        replicas: ReplicaManager,
        sessions: FetchSessionCache,
        delivery: FetchDelivery,
        *,
        response_bytes_max: int,
        selector: ReplicaSelector | None = None,
    ) -> None:
        self._replicas = replicas
        self._planner = FetchPlanner(replicas, sessions, response_bytes_max)
        self._reader = FetchReader(replicas, selector)
        self._delivery = delivery
        self._responses = [FetchResponses(version, replicas) for version in range(VERSIONS[1] + 1)]

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.FETCH, self.handle_fetch, *VERSIONS, fetch_error, TRAITS)

    def handle_fetch(
        self, context: RequestContext, request: FetchRequest
    ) -> AnyFetchResponse | asyncio.Future[AnyFetchResponse]:
        version = context.api_version
        params = self._planner.params(version, request)
        if params.from_follower:
            self._replicas.follower_heard(params.replica_id)
        session, full = self._planner.session(version, request, params)
        respond = partial(self._responses[version].make, context.client, session.session_id)
        deliver = partial(self._delivery.deliver, version, respond)
        delayed: DelayedFetch[AnyFetchResponse] = DelayedFetch(self._reader, session, params, deliver, full=full)
        return delayed.start(self._replicas.purgatory)


def _codes_when_encoded(version: int) -> int:
    """A response has a code of its own beside its partition's."""
    return 2 if version >= _FIRST_WITH_ERROR else 1


def fetch_error(request: FetchRequest, version: int, error: KafkaError) -> FetchResponse:
    """Session errors stand at the top, with no data (version 7 on; before that there were no sessions)."""
    return FetchResponse(error_code=error.code, session_id=INVALID_SESSION_ID)


TRAITS = Traits(
    only_from_brokers=is_from_follower, is_from_follower=is_from_follower, codes_when_encoded=_codes_when_encoded
)
