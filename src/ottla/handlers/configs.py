"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs, for topics, brokers and their loggers.

Any broker serves topics. A broker's own configs are served by itself; the empty name stands for all brokers. A change
is made over the version that was read (`ConfigStore.write`), so that two clients never undo each other (KAFKA-3328),
and is answered when this broker has applied it.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ottla.clock.turns import in_turns
from ottla.config import BrokerConfig
from ottla.config.describe import ConfigEntry, describe_broker, describe_cluster_default, describe_topic
from ottla.config.dynamic import check_alteration, check_storable
from ottla.config.keys import broker_keys, topic_keys
from ottla.config.sources import ConfigSource
from ottla.config.topic_config import validate_topic_config
from ottla.controller.attempts import OUTRUN_MAX, Attempts
from ottla.controller.config_store import ConfigStore
from ottla.controller.zookeeper_refusals import kafka_error
from ottla.coordination.errors import (
    BadVersionError,
    ConnectionLossError,
    CoordinationError,
    NodeExistsError,
    SessionError,
    ZooKeeperError,
)
from ottla.coordination.payloads.configs import ConfigEntity, broker_entity, topic_entity
from ottla.errors import ConfigError, ErrorCode, KafkaError
from ottla.errors.kafka import (
    InvalidConfigError,
    InvalidRequestError,
    InvalidTopicError,
    RequestTimedOutError,
    UnknownTopicOrPartitionError,
)
from ottla.handlers.broker_loggers import apply_logger_edits, check_logger_edits, describe_loggers
from ottla.handlers.change_log import log_altered
from ottla.handlers.config_edits import Edit, Operation, apply_edits, check_edits, replace_all
from ottla.handlers.context import RequestContext
from ottla.handlers.error_texts import INVALID_REQUEST_TEXT
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.model import topic_name_problem
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages import alter_configs as replacing
from ottla.protocol.messages import incremental_alter_configs as incremental
from ottla.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

TOPIC, BROKER, BROKER_LOGGER = 2, 4, 8

Change = Callable[[dict[str, str]], dict[str, str]]


class Resource(NamedTuple):
    type: int
    name: str


class ConfigHandlers:
    def __init__(self, store: ConfigStore, config: BrokerConfig, cache: MetadataCache, broker_id: int) -> None:
        self._store = store
        self._config = config
        self._cache = cache
        self._broker_id = broker_id

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.DESCRIBE_CONFIGS, self.handle_describe_configs, 0, 4, describe_configs_error)
        table.add(ApiKey.ALTER_CONFIGS, self.handle_alter_configs, 0, 2, alter_configs_error)
        table.add(
            ApiKey.INCREMENTAL_ALTER_CONFIGS, self.handle_incremental_alter_configs, 0, 1, incremental_alter_error
        )

    # DescribeConfigs

    async def handle_describe_configs(
        self, context: RequestContext, request: DescribeConfigsRequest
    ) -> DescribeConfigsResponse:
        resources = once_each(request.resources)
        return DescribeConfigsResponse(
            results=[await self._described(resource, request) async for resource in in_turns(resources)]
        )

    async def _described(
        self, resource: DescribeConfigsResource, request: DescribeConfigsRequest
    ) -> DescribeConfigsResult:
        try:
            entries = await self._entries(resource)
        except KafkaError as error:
            return _describe_error(resource, error)
        return DescribeConfigsResult(
            error_message="",
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
            configs=[
                _described_entry(entry, synonyms=request.include_synonyms, documentation=request.include_documentation)
                for entry in entries
            ],
        )

    async def _entries(self, resource: DescribeConfigsResource) -> Iterator[ConfigEntry]:
        names = frozenset(resource.configuration_keys or ()) or None  # none named means all, as null does
        if resource.resource_type == TOPIC:
            return describe_topic(self._config, await self._topic_overrides(resource.resource_name), names)
        if resource.resource_type == BROKER:
            if not resource.resource_name:
                return describe_cluster_default(self._config, names)
            self._check_broker_id(resource.resource_name, "Broker", f"{self._broker_id} or empty string")
            return describe_broker(self._config, names)
        if resource.resource_type == BROKER_LOGGER:
            if not resource.resource_name:
                raise InvalidRequestError("Broker id must not be empty")
            self._check_broker_id(resource.resource_name, "Broker", str(self._broker_id), comma="")
            return describe_loggers(names)
        raise InvalidRequestError(INVALID_REQUEST_TEXT)

    async def _topic_overrides(self, topic: str) -> dict[str, str]:
        problem = topic_name_problem(topic)
        if problem is not None:
            raise InvalidTopicError(problem)
        if topic not in self._cache.image.topics:
            raise UnknownTopicOrPartitionError
        try:
            return (await self._store.read(topic_entity(topic)))[0]
        except SessionError:  # ZooKeeper is away: what this broker knows is better than nothing
            return dict(self._store.overrides(topic))

    def _check_broker_id(self, name: str, what: str, expected: str, comma: str = ",") -> None:
        """Kafka's texts, which differ by a word or a comma."""
        try:
            given = int(name)
        except ValueError:
            raise InvalidRequestError(f"{what} id must be an integer, but it is: {name}") from None
        if given != self._broker_id:
            raise InvalidRequestError(f"Unexpected broker id, expected {expected}{comma} but received {name}")

    # AlterConfigs and IncrementalAlterConfigs

    async def handle_alter_configs(
        self, context: RequestContext, request: replacing.AlterConfigsRequest
    ) -> replacing.AlterConfigsResponse:
        changes = [
            (
                Resource(each.resource_type, each.resource_name),
                [Edit(config.name, Operation.SET, config.value) for config in each.configs],
            )
            for each in request.resources
        ]
        outcomes = await self._alter_all(changes, _replacing_change, validate_only=request.validate_only)
        if not request.validate_only:
            _log_changes(context, changes, outcomes)
        return replacing.AlterConfigsResponse(
            responses=[_replaced(resource, error) for (resource, _), error in zip(changes, outcomes, strict=True)]
        )

    async def handle_incremental_alter_configs(
        self, context: RequestContext, request: incremental.IncrementalAlterConfigsRequest
    ) -> incremental.IncrementalAlterConfigsResponse:
        changes = [
            (
                Resource(each.resource_type, each.resource_name),
                [Edit(config.name, config.config_operation, config.value) for config in each.configs],
            )
            for each in request.resources
        ]
        outcomes = await self._alter_all(changes, _incremental_change, validate_only=request.validate_only)
        if not request.validate_only:
            _log_changes(context, changes, outcomes)
        return incremental.IncrementalAlterConfigsResponse(
            responses=[_incremented(resource, error) for (resource, _), error in zip(changes, outcomes, strict=True)]
        )

    async def _alter_all(
        self,
        changes: Sequence[tuple[Resource, list[Edit]]],
        change: Callable[[Resource, list[Edit]], Change],
        *,
        validate_only: bool,
    ) -> list[KafkaError | None]:
        named = Counter(resource for resource, _ in changes)
        outcomes: list[KafkaError | None] = []
        async for resource, edits in in_turns(changes):
            if named[resource] > 1:
                outcomes.append(InvalidRequestError("Each resource must appear at most once."))
                continue
            outcomes.append(await _outcome(self._alter(resource, edits, change, validate_only)))
        return outcomes

    async def _alter(
        self,
        resource: Resource,
        edits: list[Edit],
        change_for: Callable[[Resource, list[Edit]], Change],
        validate_only: bool,
    ) -> None:
        check_edits(edits)
        change = change_for(resource, edits)
        if resource.type == BROKER_LOGGER:
            self._alter_loggers(resource, edits, validate_only)
            return
        entity = self._entity(resource)
        lost, outrun = Attempts(), Attempts(OUTRUN_MAX)
        while True:
            try:
                before, version = await self._store.read(entity)
                after = change(before)
                self._check_result(resource, after)
                if not validate_only:
                    self._check_storable(resource, dict(after.items() - before.items()))
                    await self._store.write(entity, after, version)
                return
            except (BadVersionError, NodeExistsError) as error:
                await _again(outrun, error)
            except ConnectionLossError as error:
                await _again(lost, error)
            except SessionError as error:
                raise RequestTimedOutError(f"ZooKeeper cannot be reached: {error}") from None
            except ZooKeeperError as error:
                raise kafka_error(error) from error

    def _alter_loggers(self, resource: Resource, edits: list[Edit], validate_only: bool) -> None:
        self._check_broker_id(resource.name, "Node", str(self._broker_id))
        check_logger_edits(edits)
        if not validate_only:
            apply_logger_edits(edits)

    def _entity(self, resource: Resource) -> ConfigEntity:
        if resource.type == TOPIC:
            if not resource.name:
                raise InvalidRequestError("Default topic resources are not allowed.")
            if resource.name not in self._cache.image.topics:
                raise UnknownTopicOrPartitionError(f"The topic '{resource.name}' does not exist.")
            return topic_entity(resource.name)
        if resource.type == BROKER:
            if not resource.name:
                return broker_entity(None)
            self._check_broker_id(resource.name, "Node", str(self._broker_id))
            return broker_entity(self._broker_id)
        raise InvalidRequestError(f"Unknown resource type {resource.type}")

    def _check_result(self, resource: Resource, configs: dict[str, str]) -> None:
        try:
            if resource.type == TOPIC:
                validate_topic_config(configs)
            else:
                check_alteration(self._config, configs, per_broker=bool(resource.name))
        except ConfigError as error:
            raise _refusal(resource, configs, error) from None

    def _check_storable(self, resource: Resource, newly_set: dict[str, str]) -> None:
        if resource.type != BROKER:
            return
        try:
            check_storable(self._config, newly_set)
        except ConfigError as error:
            raise _invalid_value(resource, error) from None


async def _again(attempts: Attempts, error: CoordinationError) -> None:
    try:
        await attempts.failed(error)
    except CoordinationError:
        raise RequestTimedOutError(f"The change was tried several times in vain: {error}") from None


def _log_changes(
    context: RequestContext, changes: Sequence[tuple[Resource, list[Edit]]], outcomes: Sequence[KafkaError | None]
) -> None:
    for (resource, edits), error in zip(changes, outcomes, strict=True):
        if error is None and resource.type != BROKER_LOGGER:  # the level that is asked for may be that of this line
            kind = "topic" if resource.type == TOPIC else "broker"
            log_altered(context, f"{kind} {resource.name}" if resource.name else "all brokers", edits)


def once_each(resources: Iterable[DescribeConfigsResource]) -> list[DescribeConfigsResource]:
    """A resource that is named again is described once, with all the keys that are asked of it.

    A few bytes name a broker, and its description is 40 kB: how long an answer becomes is for what there is to say.
    """
    wanted: dict[Resource, DescribeConfigsResource] = {}
    for each in resources:
        first = wanted.setdefault(Resource(each.resource_type, each.resource_name), each)
        if first is each:
            continue
        if first.configuration_keys and each.configuration_keys:
            first.configuration_keys.extend(each.configuration_keys)
        else:
            first.configuration_keys = None
    return list(wanted.values())


def _replacing_change(resource: Resource, edits: list[Edit]) -> Change:
    if resource.type == BROKER_LOGGER:
        raise InvalidRequestError(f"Unknown resource type {resource.type}")
    return lambda before: replace_all(edits)


def _incremental_change(resource: Resource, edits: list[Edit]) -> Change:
    keys = topic_keys() if resource.type == TOPIC else broker_keys()
    return lambda before: apply_edits(before, edits, keys)


def _refusal(resource: Resource, configs: Iterable[str], error: ConfigError) -> KafkaError:
    if resource.type == BROKER:
        return InvalidRequestError(str(error))
    if any(key not in topic_keys() for key in configs):
        return InvalidConfigError(str(error))
    return _invalid_value(resource, error)


def _invalid_value(resource: Resource, error: ConfigError) -> KafkaError:
    kind = "TOPIC" if resource.type == TOPIC else "BROKER"
    return InvalidConfigError(
        f"Invalid config value for resource ConfigResource(type={kind}, name='{resource.name}'): {error}"
    )


async def _outcome(action: Awaitable[None]) -> KafkaError | None:
    try:
        await action
    except KafkaError as error:
        return error
    return None


def _described_entry(entry: ConfigEntry, *, synonyms: bool, documentation: bool) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.is_read_only,
        is_default=entry.source == ConfigSource.DEFAULT,
        config_source=entry.source,
        is_sensitive=entry.is_sensitive,
        synonyms=[DescribeConfigsSynonym(name=s.name, value=s.value, source=s.source) for s in entry.synonyms]
        if synonyms
        else [],
        config_type=entry.type,
        documentation=entry.documentation if documentation else None,
    )


def _describe_error(resource: DescribeConfigsResource, error: KafkaError) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        error_code=error.code,
        error_message=str(error),
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _replaced(resource: Resource, error: KafkaError | None) -> replacing.AlterConfigsResourceResponse:
    return replacing.AlterConfigsResourceResponse(
        error_code=ErrorCode.NONE if error is None else error.code,
        error_message=None if error is None else str(error) or None,
        resource_type=resource.type,
        resource_name=resource.name,
    )


def _incremented(resource: Resource, error: KafkaError | None) -> incremental.AlterConfigsResourceResponse:
    return incremental.AlterConfigsResourceResponse(
        error_code=ErrorCode.NONE if error is None else error.code,
        error_message=None if error is None else str(error) or None,
        resource_type=resource.type,
        resource_name=resource.name,
    )


def describe_configs_error(request: DescribeConfigsRequest, version: int, error: KafkaError) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(results=[_describe_error(resource, error) for resource in request.resources])


def alter_configs_error(
    request: replacing.AlterConfigsRequest, version: int, error: KafkaError
) -> replacing.AlterConfigsResponse:
    resources = [Resource(each.resource_type, each.resource_name) for each in request.resources]
    return replacing.AlterConfigsResponse(responses=[_replaced(resource, error) for resource in resources])


def incremental_alter_error(
    request: incremental.IncrementalAlterConfigsRequest, version: int, error: KafkaError
) -> incremental.IncrementalAlterConfigsResponse:
    resources = [Resource(each.resource_type, each.resource_name) for each in request.resources]
    return incremental.IncrementalAlterConfigsResponse(responses=[_incremented(each, error) for each in resources])
