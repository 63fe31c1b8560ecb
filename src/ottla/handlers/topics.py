"""CreateTopics, DeleteTopics, CreatePartitions: for the controller only; anybody else answers NOT_CONTROLLER.

Each waits, for as long as its client wants to, until this broker's own metadata shows the change. When that takes
longer, or the client does not wait at all, a success is told as REQUEST_TIMED_OUT and goes on by itself.

Meaning by version
    CreateTopics      5+ echoes partitions, replication factor and configs; 7+ the topic's id
    DeleteTopics      below 3 a disabled deletion is INVALID_REQUEST; 6+ topics may be named by their id
"""

import asyncio
from collections import Counter
from collections.abc import Iterable

from ottla.clock.turns import in_turns
from ottla.config import BrokerConfig
from ottla.config.describe import describe_topic
from ottla.controller.node import ControllerNode
from ottla.controller.topic_admin import CreatedTopic
from ottla.controller.topic_rules import NewTopic
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import (
    InvalidRequestError,
    NotControllerError,
    RequestTimedOutError,
    TopicDeletionDisabledError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from ottla.handlers.change_log import log_created, log_deletions, log_partitions_added
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import NO_LEADER, ClusterImage
from ottla.model import ZERO_UUID
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)
from ottla.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from ottla.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)

_DELETION_DISABLED_SINCE = 3


class TopicHandlers:
    def __init__(self, controller: ControllerNode, cache: MetadataCache, config: BrokerConfig) -> None:
        self._controller = controller
        self._cache = cache
        self._config = config

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.CREATE_TOPICS, self.handle_create_topics, 0, 7, create_topics_error)
        table.add(ApiKey.DELETE_TOPICS, self.handle_delete_topics, 0, 6, delete_topics_error)
        table.add(ApiKey.CREATE_PARTITIONS, self.handle_create_partitions, 0, 3, create_partitions_error)

    # CreateTopics

    async def handle_create_topics(self, context: RequestContext, request: CreateTopicsRequest) -> CreateTopicsResponse:
        if not self._controller.is_active:
            raise NotControllerError
        repeated = _repeated(topic.name for topic in request.topics)
        wanted = [topic for topic in request.topics if topic.name not in repeated]
        made = await self._controller.create_topics(
            [_new_topic(topic) for topic in wanted], validate_only=request.validate_only
        )
        outcomes = {topic.name: outcome for topic, outcome in zip(wanted, made, strict=True)}
        created = [outcome for outcome in made if isinstance(outcome, CreatedTopic)]
        if not request.validate_only:
            log_created(context, created)
        late = set() if request.validate_only else await self._not_led_in_time(created, request.timeout_ms)
        return CreateTopicsResponse(
            topics=[
                self._creation_result(topic.name, outcomes.get(topic.name), late, request)
                async for topic in in_turns(request.topics)
            ]
        )

    def _creation_result(
        self, name: str, outcome: CreatedTopic | KafkaError | None, late: set[str], request: CreateTopicsRequest
    ) -> CreatableTopicResult:
        if isinstance(outcome, CreatedTopic) and name not in late:
            return self._created(outcome, request.validate_only)
        if isinstance(outcome, CreatedTopic):
            result = _creation_error(name, RequestTimedOutError())
            result.topic_id = outcome.topic_id
            return result
        return _creation_error(name, outcome or InvalidRequestError("Found multiple entries for this topic."))

    async def _not_led_in_time(self, created: list[CreatedTopic], timeout_ms: int) -> set[str]:
        """The topics that this broker's metadata does not show with all leaders when the client stops waiting."""
        if not created:
            return set()
        sizes = {topic.name: len(topic.partitions) for topic in created}
        if timeout_ms <= 0:
            return set(sizes)
        await self._cache.wait_for(lambda image: not _unled(image, sizes), timeout_ms)
        return _unled(self._cache.image, sizes)

    def _created(self, created: CreatedTopic, validate_only: bool) -> CreatableTopicResult:
        return CreatableTopicResult(
            name=created.name,
            topic_id=ZERO_UUID if validate_only else created.topic_id,
            error_message=None,
            num_partitions=len(created.partitions),
            replication_factor=created.replication_factor,
            configs=[
                CreatableTopicConfigs(
                    name=entry.name,
                    value=entry.value,
                    read_only=entry.is_read_only,
                    config_source=entry.source,
                    is_sensitive=entry.is_sensitive,
                )
                for entry in describe_topic(self._config, created.configs)
            ],
        )

    # DeleteTopics

    async def handle_delete_topics(self, context: RequestContext, request: DeleteTopicsRequest) -> DeleteTopicsResponse:
        if not self._controller.is_active:
            raise NotControllerError
        if not self._config.bool("delete.topic.enable"):
            raise InvalidRequestError if context.api_version < _DELETION_DISABLED_SINCE else TopicDeletionDisabledError
        image = self._cache.image
        wanted = request.topics or [DeleteTopicState(name=name) for name in request.topic_names]
        names = [_deleted_name(topic, image) for topic in wanted]
        known = list(dict.fromkeys(name for name in names if isinstance(name, str)))
        outcomes = dict(zip(known, await self._controller.delete_topics(known), strict=True))
        log_deletions(context, [name for name, outcome in outcomes.items() if isinstance(outcome, asyncio.Future)])
        await self._wait_for_deletions(outcomes, request.timeout_ms)
        return DeleteTopicsResponse(
            responses=[
                self._deletion_result(topic, name, outcomes, request.timeout_ms)
                for topic, name in zip(wanted, names, strict=True)
            ]
        )

    async def _wait_for_deletions(
        self, outcomes: "dict[str, KafkaError | asyncio.Future[None]]", timeout_ms: int
    ) -> None:
        """Until they are gone altogether, so that they can be made again; a replica that is away is not waited for."""
        waiting = [outcome for outcome in outcomes.values() if isinstance(outcome, asyncio.Future)]
        if waiting and timeout_ms > 0:
            await asyncio.wait(waiting, timeout=timeout_ms / 1000)

    def _deletion_result(
        self,
        topic: DeleteTopicState,
        name: str | KafkaError,
        outcomes: "dict[str, KafkaError | asyncio.Future[None]]",
        timeout_ms: int,
    ) -> DeletableTopicResult:
        if isinstance(name, KafkaError):
            return _deletion_error(topic, name)
        outcome = outcomes[name]
        if isinstance(outcome, KafkaError):
            return _deletion_error(topic, outcome)
        late = timeout_ms <= 0 or name in self._cache.image.topics
        return DeletableTopicResult(
            name=name,
            topic_id=topic.topic_id,
            error_code=ErrorCode.REQUEST_TIMED_OUT if late else ErrorCode.NONE,
        )

    # CreatePartitions

    async def handle_create_partitions(
        self, context: RequestContext, request: CreatePartitionsRequest
    ) -> CreatePartitionsResponse:
        if not self._controller.is_active:
            raise NotControllerError
        repeated = _repeated(topic.name for topic in request.topics)
        wanted = [topic for topic in request.topics if topic.name not in repeated]
        outcomes = await self._controller.create_partitions(
            [(topic.name, topic.count, _assignments(topic)) for topic in wanted], validate_only=request.validate_only
        )
        sizes = {t.name: t.count for t, outcome in zip(wanted, outcomes, strict=True) if outcome is None}
        if not request.validate_only:
            log_partitions_added(context, sizes)
        late = set() if request.validate_only else await self._not_grown_in_time(sizes, request.timeout_ms)
        results = [_partitions_result(name, InvalidRequestError("Duplicate topic in request.")) for name in repeated]
        results += [
            _partitions_result(topic.name, RequestTimedOutError() if topic.name in late else outcome)
            for topic, outcome in zip(wanted, outcomes, strict=True)
        ]
        return CreatePartitionsResponse(results=results)

    async def _not_grown_in_time(self, sizes: dict[str, int], timeout_ms: int) -> set[str]:
        if not sizes or timeout_ms <= 0:
            return set(sizes)
        await self._cache.wait_for(lambda image: not _unled(image, sizes), timeout_ms)
        return _unled(self._cache.image, sizes)


def _unled(image: ClusterImage, sizes: dict[str, int]) -> set[str]:
    """Topics that do not have this many partitions, each with a leader, in the image."""
    late = set()
    for name, size in sizes.items():
        topic = image.topics.get(name)
        led = 0 if topic is None else sum(p.leader != NO_LEADER for p in topic.partitions.values())
        if led < size:
            late.add(name)
    return late


def _repeated(names: Iterable[str]) -> dict[str, int]:
    """How often each name stands there that stands there more than once, in their order."""
    return {name: count for name, count in Counter(names).items() if count > 1}


def _message(error: KafkaError) -> str | None:
    return str(error) or None


def _new_topic(topic: CreatableTopic) -> NewTopic:
    return NewTopic(
        topic.name,
        topic.num_partitions,
        topic.replication_factor,
        [(assignment.partition_index, tuple(assignment.broker_ids)) for assignment in topic.assignments],
        {config.name: config.value for config in topic.configs},
    )


def _creation_error(name: str, error: KafkaError) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=error.code, error_message=_message(error), configs=[])


def _deleted_name(topic: DeleteTopicState, image: ClusterImage) -> str | KafkaError:
    if topic.topic_id == ZERO_UUID:
        if topic.name is None or topic.name not in image.topics:
            return UnknownTopicOrPartitionError()
        return topic.name
    if topic.name is not None:
        raise InvalidRequestError("Topic name and topic ID can not both be specified.")
    found = image.topics_by_id.get(topic.topic_id)
    return UnknownTopicIdError() if found is None else found.name


def _deletion_error(topic: DeleteTopicState, error: KafkaError) -> DeletableTopicResult:
    return DeletableTopicResult(
        name=topic.name, topic_id=topic.topic_id, error_code=error.code, error_message=_message(error)
    )


def _assignments(topic: CreatePartitionsTopic) -> list[tuple[int, ...]] | None:
    return None if topic.assignments is None else [tuple(each.broker_ids) for each in topic.assignments]


def _partitions_result(name: str, error: KafkaError | None) -> CreatePartitionsTopicResult:
    if error is None:
        return CreatePartitionsTopicResult(name=name)
    return CreatePartitionsTopicResult(name=name, error_code=error.code, error_message=_message(error))


def create_topics_error(request: CreateTopicsRequest, version: int, error: KafkaError) -> CreateTopicsResponse:
    return CreateTopicsResponse(topics=[_creation_error(topic.name, error) for topic in request.topics])


def delete_topics_error(request: DeleteTopicsRequest, version: int, error: KafkaError) -> DeleteTopicsResponse:
    wanted = request.topics or [DeleteTopicState(name=name) for name in request.topic_names]
    return DeleteTopicsResponse(responses=[_deletion_error(topic, error) for topic in wanted])


def create_partitions_error(
    request: CreatePartitionsRequest, version: int, error: KafkaError
) -> CreatePartitionsResponse:
    return CreatePartitionsResponse(results=[_partitions_result(topic.name, error) for topic in request.topics])
