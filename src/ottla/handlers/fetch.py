"""Fetch (0-18): sessions, the read with its wait, and what old clients need.

Version-dependent meaning:
    0-3    records converted down to magic 0 (0-1) or 1 (2-3), no more than CONVERTED_BYTES_MAX for one answer
    7+     fetch sessions
    10+    zstd batches may be returned; older clients get UNSUPPORTED_COMPRESSION_TYPE for a topic that asks for zstd
    11+    consumers name their rack, and may read from followers (KIP-392)
    13+    topics by id
    15+    the replica is named in `replica_state`
    16+    where the leaders listen that are named beside errors (from 12 on)
"""

import asyncio
from itertools import count

from ottla.errors import KafkaError
from ottla.handlers.context import EncodedResponse, RequestContext
from ottla.handlers.fetch_delivery import FetchDelivery
from ottla.handlers.leader_endpoints import leader_endpoints
from ottla.handlers.lone_fetch import FIRST_VERSION, LoneFetch
from ottla.handlers.registry import HandlerTable
from ottla.model import ZERO_UUID
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, NodeEndpoint
from ottla.replication.delayed_fetch import Answers, DelayedFetch
from ottla.replication.fetch_session import FINAL_EPOCH, INITIAL_EPOCH, INVALID_SESSION_ID, EntryKey, FetchSession
from ottla.replication.fetch_session_cache import FetchSessionCache
from ottla.replication.fetching import LED_ELSEWHERE, FetchEntry, FetchParams, FetchReader
from ottla.replication.replica_manager import ReplicaManager
from ottla.replication.replica_selector import ReplicaSelector

VERSIONS = (0, 18)
# What is converted is held in memory until the client has taken it, unlike records that the kernel sends from the file.
# The first batch is given however large it is.
CONVERTED_BYTES_MAX = 2 * 1024 * 1024
_FIRST_UNCONVERTED = 4
_TOPIC_ID_VERSION = 13
_REPLICA_STATE_VERSION = 15
_RACK_VERSION = 11


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
        self._reader = FetchReader(replicas, selector)
        self._sessions = sessions
        self._delivery = delivery
        self._response_bytes_max = response_bytes_max
        self._turns = count()
        self._lone = {version: LoneFetch(version) for version in range(FIRST_VERSION, VERSIONS[1] + 1)}

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.FETCH, self.handle_fetch, *VERSIONS, fetch_error, only_from_brokers=is_from_follower)

    def handle_fetch(
        self, context: RequestContext, request: FetchRequest
    ) -> FetchResponse | asyncio.Future[FetchResponse] | asyncio.Future[FetchResponse | EncodedResponse]:
        version = context.api_version
        params = self._params(version, request)
        if params.from_follower:
            self._replicas.follower_heard(params.replica_id)
        session, full = self._session(version, request, params)
        lone = self._lone.get(version)
        delayed = DelayedFetch(
            self._reader,
            session,
            params,
            lambda answers: self._delivery.prepare(version, answers, self._response(context, session, answers)),
            full=full,
            respond_gain=None if lone is None else lone.answer,
        )
        return delayed.start(self._replicas.purgatory)

    def _response(self, context: RequestContext, session: FetchSession, answers: Answers) -> FetchResponse:
        response = build_response(session, answers)
        named = [answer.current_leader.leader_id for _entry, answer in answers if answer.error_code in LED_ELSEWHERE]
        if named:
            image = self._replicas.image
            response.node_endpoints = leader_endpoints(image, context.listener_name, named, NodeEndpoint)
        return response

    def _params(self, version: int, request: FetchRequest) -> FetchParams:
        by_state = version >= _REPLICA_STATE_VERSION
        max_bytes = min(request.max_bytes, self._response_bytes_max)
        if version < _FIRST_UNCONVERTED:
            max_bytes = min(max_bytes, CONVERTED_BYTES_MAX)
        return FetchParams(
            request.replica_state.replica_id if by_state else request.replica_id,
            request.max_wait_ms,
            min(request.min_bytes, max_bytes),  # More than it takes would be waited for in vain.
            max_bytes,
            request.isolation_level,
            request.replica_state.replica_epoch if by_state else -1,
            request.rack_id if version >= _RACK_VERSION else None,
        )

    def _session(self, version: int, request: FetchRequest, params: FetchParams) -> tuple[FetchSession, bool]:
        """The session that the request belongs to, brought up to date, and whether its answer names everything."""
        by_id = version >= _TOPIC_ID_VERSION
        if request.session_epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self._sessions.remove(request.session_id)
            session = self._new_session(request, by_id, params.from_follower)
            self._put_entries(session, request, by_id)
            if version < _FIRST_UNCONVERTED:
                self._rotate(session)
            return session, True
        session = self._sessions.resume(request.session_id, request.session_epoch, uses_topic_ids=by_id)
        session.forget(
            EntryKey(topic.topic_id if by_id else topic.topic, index)
            for topic in request.forgotten_topics_data
            for index in topic.partitions
        )
        self._put_entries(session, request, by_id)
        return session, False

    def _new_session(self, request: FetchRequest, by_id: bool, privileged: bool) -> FetchSession:
        if request.session_epoch == FINAL_EPOCH or not request.topics:
            return FetchSession(INVALID_SESSION_ID, uses_topic_ids=by_id)
        return self._sessions.create(privileged=privileged, uses_topic_ids=by_id)

    def _rotate(self, session: FetchSession) -> None:
        """Begin with another partition each time: the oldest clients name them in one order, and few fit an answer.

        The partitions of a topic stay together.
        """
        entries = list(session.entries.items())
        if len(entries) > 1:
            start = next(self._turns) % len(entries)
            first_topic = entries[start][0].topic
            entries = entries[start:] + entries[:start]
            session.entries = dict(sorted(entries, key=lambda item: item[0].topic != first_topic))

    def _put_entries(self, session: FetchSession, request: FetchRequest, by_id: bool) -> None:
        for topic in request.topics:
            name = (self._replicas.topic_name(topic.topic_id) or "") if by_id else topic.topic
            for part in topic.partitions:
                entry = FetchEntry(name, topic.topic_id if by_id else ZERO_UUID, part.partition)
                entry.fetch_offset = part.fetch_offset
                entry.max_bytes = part.partition_max_bytes
                entry.current_leader_epoch = part.current_leader_epoch
                entry.last_fetched_epoch = part.last_fetched_epoch
                entry.log_start_offset = part.log_start_offset
                session.put(EntryKey(topic.topic_id if by_id else name, part.partition), entry)


def is_from_follower(request: FetchRequest) -> bool:
    """By its replica id, which stands in a structure of its own from version 15 on."""
    return request.replica_id >= 0 or request.replica_state.replica_id >= 0


def build_response(session: FetchSession, answers: Answers) -> FetchResponse:
    topics: list[FetchableTopicResponse] = []
    last_key: object = None
    for entry, answer in answers:
        key = (entry.topic, entry.topic_id)
        if key != last_key:
            topics.append(FetchableTopicResponse(topic=entry.topic, topic_id=entry.topic_id, partitions=[]))
            last_key = key
        topics[-1].partitions.append(answer)
    return FetchResponse(session_id=session.session_id, responses=topics)


def fetch_error(request: FetchRequest, version: int, error: KafkaError) -> FetchResponse:
    """Session errors stand at the top, with no data (version 7 on; before that there were no sessions)."""
    return FetchResponse(error_code=error.code, session_id=INVALID_SESSION_ID)
