"""Codes and messages are those that a Kafka 3.9.1 in ZooKeeper mode gave to the same requests."""

from collections.abc import Awaitable
from typing import Any

import pytest

from ottla.clock.turns import ELEMENTS_PER_TURN
from ottla.controller.topic_rules import NewTopic
from ottla.coordination import paths
from ottla.coordination.session import SessionEvent
from ottla.errors import ErrorCode
from ottla.handlers.context import RequestContext
from ottla.handlers.error_texts import INVALID_REQUEST_TEXT
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages import alter_configs as replacing
from ottla.protocol.messages import incremental_alter_configs as incremental
from ottla.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from support.admin_broker import AdminBroker, admin_broker
from support.coroutines import on_event_loop
from support.turns import counting_turns

TOPIC, BROKER, LOGGER = 2, 4, 8
SET, DELETE, APPEND, SUBTRACT = range(4)


async def with_topic(broker: AdminBroker, **configs: str) -> None:
    await broker.broker.controller.create_topics([NewTopic("t", 1, 1, configs=configs)])
    await broker.broker.cluster.settle()


async def describe(
    broker: AdminBroker, kind: int, name: str, keys: list[str] | None = None, version: int = 4, **options: bool
) -> Any:
    resource = DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=keys)
    request = DescribeConfigsRequest(resources=[resource], **options)
    (result,) = (await broker.call(ApiKey.DESCRIBE_CONFIGS, version, request)).results
    return result


async def value_of(broker: AdminBroker, key: str, kind: int = TOPIC, name: str = "t") -> tuple[str | None, int]:
    (entry,) = (await describe(broker, kind, name, [key])).configs
    return entry.value, entry.config_source


async def replace(broker: AdminBroker, *resources: tuple[int, str, Any], validate_only: bool = False) -> list[Any]:
    request = replacing.AlterConfigsRequest(
        resources=[
            replacing.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[replacing.AlterableConfig(name=key, value=value) for key, value in configs],
            )
            for kind, name, configs in resources
        ],
        validate_only=validate_only,
    )
    response = await broker.call(ApiKey.ALTER_CONFIGS, 2, request)
    return [(result.error_code, result.error_message) for result in response.responses]


async def alter(broker: AdminBroker, *resources: tuple[int, str, Any], validate_only: bool = False) -> list[Any]:
    request = incremental.IncrementalAlterConfigsRequest(
        resources=[
            incremental.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[incremental.AlterableConfig(name=k, config_operation=o, value=v) for k, o, v in edits],
            )
            for kind, name, edits in resources
        ],
        validate_only=validate_only,
    )
    response = await broker.call(ApiKey.INCREMENTAL_ALTER_CONFIGS, 1, request)
    return [(result.error_code, result.error_message) for result in response.responses]


@on_event_loop
async def test_topic_is_described_with_sources_synonyms_and_types() -> None:
    async with admin_broker() as broker:
        await with_topic(broker, **{"max.message.bytes": "64000"})
        result = await describe(
            broker, TOPIC, "t", ["max.message.bytes", "retention.ms"], include_synonyms=True, include_documentation=True
        )
        assert (result.error_code, result.error_message) == (0, "")
        entries = {entry.name: entry for entry in result.configs}
        size, retention = entries["max.message.bytes"], entries["retention.ms"]
        assert (size.value, size.config_source, size.config_type, size.read_only) == ("64000", 1, 3, False)
        assert [(s.name, s.value, s.source) for s in size.synonyms] == [
            ("max.message.bytes", "64000", 1),
            ("message.max.bytes", "1048588", 5),
        ]
        assert (retention.value, retention.config_source, retention.synonyms) == ("604800000", 5, [])
        assert retention.documentation


@pytest.mark.parametrize("keys", [None, []])
@on_event_loop
async def test_no_keys_are_all_keys(keys: list[str] | None) -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        assert len((await describe(broker, TOPIC, "t", keys)).configs) == 36


@pytest.mark.parametrize("version", range(5))
@on_event_loop
async def test_every_version_describes(version: int) -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        result = await describe(broker, TOPIC, "t", ["retention.ms"], version)
        assert [entry.value for entry in result.configs] == ["604800000"]


@pytest.mark.parametrize(
    ("kind", "name", "code", "message"),
    [
        (TOPIC, "nope", 3, ""),
        (TOPIC, "", 17, "Topic name is invalid: the empty string is not allowed"),
        (BROKER, "1", 42, "Unexpected broker id, expected 0 or empty string, but received 1"),
        (BROKER, "x", 42, "Broker id must be an integer, but it is: x"),
        (7, "q", 42, INVALID_REQUEST_TEXT),
    ],
)
@on_event_loop
async def test_what_cannot_be_described_is_refused(kind: int, name: str, code: int, message: str) -> None:
    async with admin_broker() as broker:
        result = await describe(broker, kind, name)
        assert (result.error_code, result.error_message, result.configs) == (code, message, [])


@on_event_loop
async def test_replacing_drops_what_is_not_named() -> None:
    async with admin_broker() as broker:
        await with_topic(broker, **{"retention.ms": "1", "segment.bytes": "1000"})
        assert await replace(broker, (TOPIC, "t", [("retention.ms", "5")])) == [(0, None)]
        assert await value_of(broker, "retention.ms") == ("5", 1)
        assert (await value_of(broker, "segment.bytes"))[1] == 5


NOT_A_NUMBER = "Invalid value x for configuration retention.ms: Not a number of type LONG"


@pytest.mark.parametrize(
    ("resource", "code", "message"),
    [
        ((TOPIC, "t", [("nope", "5")]), 40, "Unknown topic config name: nope"),
        (
            (TOPIC, "t", [("retention.ms", "x")]),
            40,
            f"Invalid config value for resource ConfigResource(type=TOPIC, name='t'): {NOT_A_NUMBER}",
        ),
        ((TOPIC, "t", [("retention.ms", None)]), 42, "Null value not supported for : retention.ms"),
        ((TOPIC, "t", [("retention.ms", "1"), ("retention.ms", "2")]), 42, "Error due to duplicate config keys"),
        ((TOPIC, "nope", [("retention.ms", "5")]), 3, "The topic 'nope' does not exist."),
        ((TOPIC, "", [("retention.ms", "5")]), 42, "Default topic resources are not allowed."),
        ((7, "x", [("a", "b")]), 42, "Unknown resource type 7"),
        ((BROKER, "1", [("log.cleaner.threads", "2")]), 42, "Unexpected broker id, expected 0, but received 1"),
        ((BROKER, "x", [("a", "2")]), 42, "Node id must be an integer, but it is: x"),
        ((BROKER, "0", [("broker.id", "2")]), 42, "Cannot update these configs dynamically: Set(broker.id)"),
        (
            (BROKER, "", [("log.cleaner.threads", "x")]),
            42,
            "Invalid value x for configuration log.cleaner.threads: Not a number of type INT",
        ),
    ],
)
@on_event_loop
async def test_replacements_are_refused_in_kafkas_words(resource: Any, code: int, message: str) -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        before = dict(broker.broker.cluster.zookeeper.tree.nodes)
        assert await replace(broker, resource) == [(code, message)]
        assert broker.broker.cluster.zookeeper.tree.nodes == before


@on_event_loop
async def test_single_keys_are_set_deleted_appended_to_and_subtracted_from() -> None:
    async with admin_broker() as broker:
        await with_topic(broker, **{"segment.bytes": "1000"})
        assert await alter(broker, (TOPIC, "t", [("retention.ms", SET, "7")])) == [(0, None)]
        assert await alter(broker, (TOPIC, "t", [("cleanup.policy", APPEND, "compact")])) == [(0, None)]
        assert await value_of(broker, "cleanup.policy") == ("delete,compact", 1)
        assert await alter(broker, (TOPIC, "t", [("cleanup.policy", SUBTRACT, "delete")])) == [(0, None)]
        assert await value_of(broker, "cleanup.policy") == ("compact", 1)
        assert await alter(broker, (TOPIC, "t", [("segment.bytes", DELETE, None)])) == [(0, None)]
        assert (await value_of(broker, "segment.bytes"))[1] == 5
        assert await value_of(broker, "retention.ms") == ("7", 1)


@pytest.mark.parametrize(
    ("edits", "code", "message"),
    [
        ([("retention.ms", APPEND, "7")], 40, "Config value append is not allowed for config key: retention.ms"),
        ([("retention.ms", SUBTRACT, "7")], 40, "Config value subtract is not allowed for config key: retention.ms"),
        ([("nope", SET, "7")], 40, "Unknown topic config name: nope"),
        ([("nope", DELETE, None)], 0, None),
        ([("retention.ms", SET, None)], 42, "Null value not supported for : retention.ms"),
        ([("retention.ms", SET, "1"), ("retention.ms", SET, "2")], 42, "Error due to duplicate config keys"),
        (
            [("retention.ms", SET, "x")],
            40,
            f"Invalid config value for resource ConfigResource(type=TOPIC, name='t'): {NOT_A_NUMBER}",
        ),
        ([], 0, None),
    ],
)
@on_event_loop
async def test_edits_are_refused_in_kafkas_words(edits: Any, code: int, message: str | None) -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        assert await alter(broker, (TOPIC, "t", edits)) == [(code, message)]


@on_event_loop
async def test_resource_named_twice_is_refused_both_times() -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        edits = [("retention.ms", SET, "1")]
        refused = (42, "Each resource must appear at most once.")
        assert await alter(broker, (TOPIC, "t", edits), (TOPIC, "t", edits)) == [refused, refused]


@on_event_loop
async def test_validating_changes_nothing() -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        assert await alter(broker, (TOPIC, "t", [("retention.ms", SET, "9")]), validate_only=True) == [(0, None)]
        assert (await value_of(broker, "retention.ms"))[1] == 5


@on_event_loop
async def test_broker_configs_apply_without_restart_and_nearest_wins() -> None:
    async with admin_broker() as broker:
        key = "log.cleaner.threads"
        assert await alter(broker, (BROKER, "0", [(key, SET, "2")]), (BROKER, "", [(key, SET, "3")])) == [(0, None)] * 2
        assert broker.config.int(key) == 2
        result = await describe(broker, BROKER, "0", [key], include_synonyms=True)
        assert [(s.value, s.source) for s in result.configs[0].synonyms] == [("2", 2), ("3", 3), ("1", 5)]
        default = await describe(broker, BROKER, "")
        assert [(e.name, e.value, e.config_source) for e in default.configs] == [(key, "3", 3)]
        assert await alter(broker, (BROKER, "0", [(key, DELETE, None)])) == [(0, None)]
        assert broker.config.int(key) == 3


@on_event_loop
async def test_change_is_applied_to_open_partitions_of_the_topic() -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        told = []
        broker.broker.configs.subscribe(on_topic=lambda topic, configs: told.append((topic, dict(configs))))
        await alter(broker, (TOPIC, "t", [("retention.ms", SET, "7")]))
        assert told == [("t", {"retention.ms": "7"})]


@on_event_loop
async def test_two_clients_at_once_do_not_undo_each_other() -> None:
    import asyncio

    async with admin_broker() as broker:
        await with_topic(broker)
        keys = ["retention.ms", "segment.bytes", "flush.ms", "segment.ms"]
        await asyncio.gather(*(alter(broker, (TOPIC, "t", [(key, SET, "5000")])) for key in keys))
        data, _ = await broker.broker.session.get(paths.topic_config("t"))
        assert all(key.encode() in data for key in keys)


@on_event_loop
async def test_value_that_does_not_fit_into_zookeeper_is_refused_with_its_size() -> None:
    value = ",".join(f"{number}:1001" for number in range(100_000))
    async with admin_broker() as broker:
        await with_topic(broker)
        ((code, message),) = await alter(
            broker, (TOPIC, "t", [("follower.replication.throttled.replicas", SET, value)])
        )
        assert code == ErrorCode.INVALID_CONFIG
        assert "bytes, and at most 1044479 fit into one request" in message
        assert await alter(broker, (TOPIC, "t", [("retention.ms", SET, "7")])) == [(0, None)]


@on_event_loop
async def test_change_whose_answers_are_all_lost_is_given_up() -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        session = broker.broker.session

        def lose_again(event: SessionEvent) -> None:
            if event is SessionEvent.SUSPENDED:
                session.lose_next_write(executed=False)
                session.reconnect()

        unsubscribe = session.subscribe(lose_again)
        session.lose_next_write(executed=False)
        ((code, _),) = await alter(broker, (TOPIC, "t", [("retention.ms", SET, "7")]))
        assert code == ErrorCode.REQUEST_TIMED_OUT
        unsubscribe()
        session.reconnect()


@on_event_loop
async def test_topic_is_described_from_memory_while_zookeeper_is_away() -> None:
    async with admin_broker() as broker:
        await with_topic(broker, **{"retention.ms": "5"})
        broker.broker.session.disconnect()
        broker.broker.cluster.clock.advance_ms(60_000)
        assert await value_of(broker, "retention.ms") == ("5", 1)
        broker.broker.session.reconnect()


@on_event_loop
async def test_levels_of_loggers_are_shown_and_changed() -> None:
    import logging

    logger = logging.getLogger("ottla.controller.node")
    async with admin_broker() as broker:
        assert await alter(broker, (LOGGER, "0", [(logger.name, SET, "DEBUG")])) == [(0, None)]
        assert await value_of(broker, logger.name, LOGGER, "0") == ("DEBUG", 6)
        assert logger.level == logging.DEBUG
        assert await alter(broker, (LOGGER, "0", [(logger.name, DELETE, None)])) == [(0, None)]
        assert logger.level == logging.NOTSET


@pytest.mark.parametrize(
    ("name", "edits", "code", "message"),
    [
        ("0", [("nologger", SET, "DEBUG")], 40, "Logger nologger does not exist!"),
        ("0", [("root", DELETE, None)], 42, "Removing the log level of the root logger is not allowed"),
        ("0", [("root", APPEND, "INFO")], 42, "APPEND operation is not allowed for the BROKER_LOGGER resource"),
        ("", [("root", SET, "INFO")], 42, "Node id must be an integer, but it is: "),
        ("1", [("root", SET, "INFO")], 42, "Unexpected broker id, expected 0, but received 1"),
    ],
)
@on_event_loop
async def test_levels_that_cannot_be_are_refused(name: str, edits: Any, code: int, message: str) -> None:
    async with admin_broker() as broker:
        assert await alter(broker, (LOGGER, name, edits)) == [(code, message)]


@on_event_loop
async def test_loggers_cannot_be_replaced_as_a_whole() -> None:
    async with admin_broker() as broker:
        refused = "Unknown resource type 8"
        assert await replace(broker, (LOGGER, "0", [("root", "INFO")])) == [(42, refused)]


async def describe_all(broker: AdminBroker, *resources: DescribeConfigsResource) -> list[Any]:
    return (await broker.call(ApiKey.DESCRIBE_CONFIGS, 4, DescribeConfigsRequest(resources=list(resources)))).results


@on_event_loop
async def test_resource_that_is_named_again_is_described_once() -> None:
    async with admin_broker() as broker:
        again = DescribeConfigsResource(resource_type=BROKER, resource_name="0")
        other = DescribeConfigsResource(resource_type=BROKER, resource_name="")
        results = await describe_all(broker, again, other, *[again] * 1000)
        assert [result.resource_name for result in results] == ["0", ""]


@pytest.mark.parametrize(
    ("asked", "described"),
    [
        ([["retention.ms"], ["segment.ms"]], {"retention.ms", "segment.ms"}),
        ([["retention.ms"], None], None),
        ([None, ["retention.ms"]], None),
    ],
)
@on_event_loop
async def test_keys_that_are_asked_of_a_resource_in_several_places_come_together(
    asked: list[list[str] | None], described: set[str] | None
) -> None:
    async with admin_broker() as broker:
        await with_topic(broker)
        (result,) = await describe_all(
            broker,
            *(DescribeConfigsResource(resource_type=TOPIC, resource_name="t", configuration_keys=k) for k in asked),
        )
        names = {entry.name for entry in result.configs}
        assert names == described if described else len(names) > 20


async def handled(broker: AdminBroker, key: ApiKey, request: Any) -> tuple[Any, int]:
    """The handler's own answer, and the turns that others had meanwhile."""
    entry = broker.table.entry(key)
    assert entry is not None
    answer = entry.handle(RequestContext(key, entry.max_version), request)
    assert isinstance(answer, Awaitable)
    return await counting_turns(answer)


@on_event_loop
async def test_long_requests_let_others_have_their_turn() -> None:
    names = [f"t{number}" for number in range(ELEMENTS_PER_TURN * 4)]
    described = [DescribeConfigsResource(resource_type=TOPIC, resource_name=name) for name in names]
    altered = [incremental.AlterConfigsResource(resource_type=TOPIC, resource_name=name) for name in names * 2]
    async with admin_broker() as broker:
        answer, turns = await handled(broker, ApiKey.DESCRIBE_CONFIGS, DescribeConfigsRequest(resources=described))
        assert [result.resource_name for result in answer.results] == names
        assert turns >= 4
        request = incremental.IncrementalAlterConfigsRequest(resources=altered)
        answer, turns = await handled(broker, ApiKey.INCREMENTAL_ALTER_CONFIGS, request)
        assert {each.error_message for each in answer.responses} == {"Each resource must appear at most once."}
        assert turns >= 8
