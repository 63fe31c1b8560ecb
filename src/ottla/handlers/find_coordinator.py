"""FindCoordinator: which broker coordinates a group or a transactional id. Version 0 is the ConsumerMetadataRequest of
the manual.

The coordinator is the leader of the partition of the internal topic that the name belongs to. The first question makes
that topic; until it has a leader the answer is COORDINATOR_NOT_AVAILABLE, and clients ask again.

Version-dependent meaning:
    0      groups only, no error message
    1-3    one key; its error has Kafka's text, also when there is none
    4+     several keys, each with its own error
"""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import NamedTuple

from ottla.coordinators.group.settings import OFFSETS_TOPIC
from ottla.coordinators.partitioning import partition_for
from ottla.errors import ErrorCode, KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.error_texts import INVALID_REQUEST_TEXT
from ottla.handlers.in_parts import in_parts
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.observability.per_client_log import PerClientLog
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.find_coordinator import Coordinator, FindCoordinatorRequest, FindCoordinatorResponse

_FIRST_VERSION_OF_SEVERAL = 4
_NO_NODE = -1

_MESSAGES = {
    ErrorCode.NONE: "NONE",
    ErrorCode.COORDINATOR_NOT_AVAILABLE: "The coordinator is not available.",
    ErrorCode.INVALID_REQUEST: INVALID_REQUEST_TEXT,
}


class CoordinatorType(IntEnum):
    GROUP = 0
    TRANSACTION = 1
    SHARE = 2


COORDINATED_IN: Mapping[int, str] = {CoordinatorType.GROUP: OFFSETS_TOPIC}
"""The topic of each kind of coordinator that there is."""

NOT_COORDINATED: Mapping[int, str] = {
    CoordinatorType.TRANSACTION: "the coordinator of a transactional id",
    CoordinatorType.SHARE: "the coordinator of a share group",
}


class Found(NamedTuple):
    error: ErrorCode
    node_id: int = _NO_NODE
    host: str = ""
    port: int = _NO_NODE


class FindCoordinatorHandlers:
    """`ensure_internal_topic` starts making the topic if nobody has yet; it does not wait."""

    def __init__(
        self,
        metadata: MetadataCache,
        ensure_internal_topic: Callable[[str], None],
        log: PerClientLog,
        topics: Mapping[int, str] = COORDINATED_IN,
    ) -> None:
        self._metadata = metadata
        self._ensure_internal_topic = ensure_internal_topic
        self._log = log
        self._topics = topics

    def register(self, table: HandlerTable) -> None:
        handle = in_parts(self.handle_find_coordinator, "coordinator_keys", "coordinators")
        table.add(ApiKey.FIND_COORDINATOR, handle, 0, 6, find_coordinator_error)

    def handle_find_coordinator(
        self, context: RequestContext, request: FindCoordinatorRequest
    ) -> FindCoordinatorResponse:
        if context.api_version < _FIRST_VERSION_OF_SEVERAL:
            return _single(self._find(context, request.key_type, request.key))
        coordinators = [
            _one_of_several(key, self._find(context, request.key_type, key)) for key in request.coordinator_keys
        ]
        return FindCoordinatorResponse(coordinators=coordinators)

    def _find(self, context: RequestContext, key_type: int, key: str) -> Found:
        topic_name = self._topics.get(key_type)
        if topic_name is None:
            asked = NOT_COORDINATED.get(key_type, "a coordinator of an unknown kind")
            self._log.warning(context.client_id, context.client_host, asked, "there is none here")
            return Found(ErrorCode.INVALID_REQUEST)
        image = self._metadata.image
        topic = image.topics.get(topic_name)
        if topic is None or not topic.partitions:
            self._ensure_internal_topic(topic_name)
            return Found(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        partition = topic.partitions.get(partition_for(key, len(topic.partitions)))
        endpoint = None if partition is None else image.endpoint(partition.leader, context.listener_name)
        if partition is None or endpoint is None:
            return Found(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return Found(ErrorCode.NONE, partition.leader, endpoint.host, endpoint.port)


def _single(found: Found) -> FindCoordinatorResponse:
    return FindCoordinatorResponse(
        error_code=found.error,
        error_message=_MESSAGES.get(found.error, ""),
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def _one_of_several(key: str, found: Found) -> Coordinator:
    return Coordinator(
        key=key,
        error_code=found.error,
        error_message="" if found.error is ErrorCode.NONE else _MESSAGES.get(found.error, ""),
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )


def find_coordinator_error(request: FindCoordinatorRequest, version: int, error: KafkaError) -> FindCoordinatorResponse:
    if version < _FIRST_VERSION_OF_SEVERAL:
        return _single(Found(error.code))
    return FindCoordinatorResponse(
        coordinators=[_one_of_several(key, Found(error.code)) for key in request.coordinator_keys]
    )
