"""Metadata: brokers, topics, leaders, as this broker's image has them, on the listener that the client came by.

Meaning by version
    0       no topics = all; replicas and ISR without the brokers that are dead
    1+      null = all, none = none
    4+      the client says whether missing topics may be made
    6+      a leader without this listener is LISTENER_NOT_FOUND, before LEADER_NOT_AVAILABLE
    12+     topics may be named by their id

A broker that has been told nothing since its start knows of no topic, and does not say that there is none: clients of
librdkafka fail what they are about to produce to a topic that is gone. LEADER_NOT_AVAILABLE lets all of them ask again.

Answers are kept encoded for as long as the image stays: clients ask for the same topics again and again.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import InvalidRequestError
from ottla.handlers.authorized_operations import ALL_ON_CLUSTER, ALL_ON_TOPIC, NOT_ASKED
from ottla.handlers.context import EncodedResponse, RequestContext
from ottla.handlers.registry import AnyResponse, HandlerTable, Traits
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import NO_LEADER, ClusterImage, PartitionImage, TopicImage
from ottla.model import INTERNAL_TOPICS, ZERO_UUID, topic_name_problem
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode
from ottla.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

CACHED_ANSWERS_MAX = 256

_TOPIC_IDS_SINCE = 12
_FIRST_FLEXIBLE = 9
_LIBRDKAFKA_EXCESS = 3
_LISTENER_NOT_FOUND_SINCE = 6
_TOPICS_PER_CACHED_ANSWER_MAX = 100


class TopicCreator(Protocol):
    """Makes topics that clients ask for (`controller.auto_creation`)."""

    def create_missing(self, topics: Iterable[str]) -> Awaitable[dict[str, ErrorCode]]:
        """What to answer for each topic now; the client will ask again."""
        ...


class MetadataHandlers:
    def __init__(self, cache: MetadataCache, creator: TopicCreator, may_create: Callable[[], bool]) -> None:
        self._cache = cache
        self._creator = creator
        self._may_create = may_create
        self._encoded: dict[object, EncodedResponse] = {}
        self._encoded_image: ClusterImage | None = None

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.METADATA, self.handle_metadata, 0, 13, metadata_error, TRAITS)

    def handle_metadata(
        self, context: RequestContext, request: MetadataRequest
    ) -> AnyResponse | Awaitable[AnyResponse]:
        version = context.api_version
        _check(request, version)
        image = self._cache.image
        missing = self._missing(image, request, version)
        if missing and image.brokers and request.allow_auto_topic_creation and self._may_create():
            return self._create_and_answer(context, request, missing)
        return self._cached_answer(context, request, image)

    def _missing(self, image: ClusterImage, request: MetadataRequest, version: int) -> list[str]:
        if _asks_for_all(request, version):
            return []
        names = (topic.name for topic in request.topics or () if topic.topic_id == ZERO_UUID)
        return [name for name in dict.fromkeys(names) if name is not None and name not in image.topics]

    async def _create_and_answer(
        self, context: RequestContext, request: MetadataRequest, missing: list[str]
    ) -> MetadataResponse:
        creatable = [name for name in missing if topic_name_problem(name) is None]
        errors = await self._creator.create_missing(creatable) if creatable else {}
        # Answered from the image before: a topic that was just made is led only when the client asks again.
        return self._response(context, request, self._cache.image, errors)

    def _cached_answer(self, context: RequestContext, request: MetadataRequest, image: ClusterImage) -> AnyResponse:
        key = _cache_key(context, request)
        if key is None:
            return self._response(context, request, image, {})
        if self._encoded_image is not image or len(self._encoded) >= CACHED_ANSWERS_MAX:
            self._encoded.clear()
            self._encoded_image = image
        found = self._encoded.get(key)
        if found is None:
            response = self._response(context, request, image, {})
            found = self._encoded[key] = encode(response, context.api_version)
        return found

    def _response(
        self, context: RequestContext, request: MetadataRequest, image: ClusterImage, errors: dict[str, ErrorCode]
    ) -> MetadataResponse:
        builder = _Builder(image, context, request)
        if _asks_for_all(request, context.api_version):
            topics = [builder.topic(topic) for topic in image.topics.values()]
        else:
            topics = [builder.requested(topic, errors) for topic in _distinct(request.topics or ())]
        return MetadataResponse(
            brokers=[
                MetadataResponseBroker(node_id=broker.broker_id, host=at.host, port=at.port, rack=broker.rack)
                for broker, at in image.brokers_on(context.listener_name)
            ],
            cluster_id=image.cluster_id,
            controller_id=image.controller_id,
            topics=topics,
            cluster_authorized_operations=(
                ALL_ON_CLUSTER if request.include_cluster_authorized_operations else NOT_ASKED
            ),
        )


class _Builder:
    """One answer's topics and partitions."""

    def __init__(self, image: ClusterImage, context: RequestContext, request: MetadataRequest) -> None:
        self._image = image
        self._version = context.api_version
        self._operations = ALL_ON_TOPIC if request.include_topic_authorized_operations else NOT_ASKED
        self._reachable = {broker.broker_id for broker, _ in image.brokers_on(context.listener_name)}

    def requested(self, wanted: MetadataRequestTopic, errors: dict[str, ErrorCode]) -> MetadataResponseTopic:
        if wanted.topic_id != ZERO_UUID:
            by_id = self._image.topics_by_id.get(wanted.topic_id)
            if by_id is None:
                return MetadataResponseTopic(error_code=ErrorCode.UNKNOWN_TOPIC_ID, name=None, topic_id=wanted.topic_id)
            return self.topic(by_id)
        assert wanted.name is not None
        found = self._image.topics.get(wanted.name)
        if found is not None and wanted.name not in errors:
            return self.topic(found)
        return MetadataResponseTopic(
            error_code=errors.get(wanted.name, self._missing_error(wanted.name)),
            name=wanted.name,
            is_internal=wanted.name in INTERNAL_TOPICS,
        )

    def _missing_error(self, name: str) -> ErrorCode:
        if topic_name_problem(name) is not None:
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        if not self._image.brokers:  # The controller has told this broker nothing since it started.
            return ErrorCode.LEADER_NOT_AVAILABLE
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

    def topic(self, topic: TopicImage) -> MetadataResponseTopic:
        return MetadataResponseTopic(
            name=topic.name,
            topic_id=topic.topic_id,
            is_internal=topic.name in INTERNAL_TOPICS,
            partitions=[self._partition(number, partition) for number, partition in topic.partitions.items()],
            topic_authorized_operations=self._operations,
        )

    def _partition(self, number: int, partition: PartitionImage) -> MetadataResponsePartition:
        has_leader = partition.leader in self._reachable
        replicas, isr = list(partition.replicas), list(partition.isr)
        error = ErrorCode.NONE if has_leader else self._no_leader(partition.leader)
        if self._version == 0:
            alive_replicas = [broker for broker in replicas if broker in self._reachable]
            alive_isr = [broker for broker in isr if broker in self._reachable]
            if has_leader and (len(alive_replicas), len(alive_isr)) != (len(replicas), len(isr)):
                error = ErrorCode.REPLICA_NOT_AVAILABLE
            replicas, isr = alive_replicas, alive_isr
        return MetadataResponsePartition(
            error_code=error,
            partition_index=number,
            leader_id=partition.leader if has_leader else NO_LEADER,
            leader_epoch=partition.leader_epoch,
            replica_nodes=replicas,
            isr_nodes=isr,
            offline_replicas=list(partition.offline_replicas),
        )

    def _no_leader(self, leader: int) -> ErrorCode:
        if leader in self._image.brokers and self._version >= _LISTENER_NOT_FOUND_SINCE:
            return ErrorCode.LISTENER_NOT_FOUND
        return ErrorCode.LEADER_NOT_AVAILABLE


def _check(request: MetadataRequest, version: int) -> None:
    if version >= _TOPIC_IDS_SINCE:
        if any(topic.name is None and topic.topic_id == ZERO_UUID for topic in request.topics or ()):
            raise InvalidRequestError("A topic is asked for by its name or by its id; this one has neither")
        return
    for topic in request.topics or ():
        if topic.name is None:
            raise InvalidRequestError(f"Topic name can not be null for version {version}")
        if topic.topic_id != ZERO_UUID:
            raise InvalidRequestError(f"Topic IDs are not supported in requests for version {version}")


def _asks_for_all(request: MetadataRequest, version: int) -> bool:
    return request.topics is None or (version == 0 and not request.topics)


def _distinct(topics: Iterable[MetadataRequestTopic]) -> Iterable[MetadataRequestTopic]:
    return {(topic.name, topic.topic_id): topic for topic in topics}.values()


def _cache_key(context: RequestContext, request: MetadataRequest) -> object:
    """What the answer depends on besides the image; None when it would take up too much room."""
    topics = request.topics
    if topics is not None and len(topics) > _TOPICS_PER_CACHED_ANSWER_MAX:
        return None
    return (
        context.api_version,
        context.listener_name,
        None if topics is None else tuple((topic.name, topic.topic_id) for topic in topics),
        request.include_cluster_authorized_operations,
        request.include_topic_authorized_operations,
    )


def metadata_error(request: MetadataRequest, version: int, error: KafkaError) -> MetadataResponse:
    return MetadataResponse(
        error_code=error.code,
        topics=[
            MetadataResponseTopic(error_code=error.code, name=topic.name or "", topic_id=topic.topic_id)
            for topic in request.topics or ()
        ],
    )


def is_known_excess(request: MetadataRequest, version: int, excess: int) -> bool:
    """librdkafka (issue 5049) asks for all topics by a null array of four bytes where version 9 on has one byte.

    The three zeros too many are read as the fields behind, which do not matter for all topics.
    """
    return version >= _FIRST_FLEXIBLE and request.topics is None and excess == _LIBRDKAFKA_EXCESS


TRAITS = Traits(is_known_excess=is_known_excess)
