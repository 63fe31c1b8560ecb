"""DescribeConfigs, AlterConfigs and IncrementalAlterConfigs of topics, brokers (one and the default) and loggers."""

from collections.abc import Mapping, Sequence
from typing import Any

from ottla.protocol.messages import incremental_alter_configs as incremental
from ottla.protocol.messages.alter_configs import AlterableConfig, AlterConfigsRequest, AlterConfigsResource
from ottla.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from support.admin_errors.case import Case

UNKNOWN_TYPE, TOPIC, BROKER, LOGGER, CLIENT_METRICS, GROUP = 0, 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT, NO_SUCH_OPERATION = 0, 1, 2, 3, 9
KEYSTORE_PASSWORD = "listener.name.plaintext.ssl.keystore.password"
Edit = tuple[str, int, str | None]


def describe(kind: int, name: str, *keys: str, every_key: bool = False, **fields: Any) -> DescribeConfigsRequest:
    wanted = None if every_key else list(keys)
    resource = DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=wanted)
    return DescribeConfigsRequest(resources=[resource], **{"include_synonyms": True} | fields)


def alter(kind: int, name: str, configs: Mapping[str, str | None], *, validate_only: bool = True) -> Any:
    edits = [AlterableConfig(name=key, value=value) for key, value in configs.items()]
    resource = AlterConfigsResource(resource_type=kind, resource_name=name, configs=edits)
    return AlterConfigsRequest(resources=[resource], validate_only=validate_only)


def edit(kind: int, name: str, *edits: Edit, validate_only: bool = True) -> Any:
    return edit_all([(kind, name, edits)], validate_only=validate_only)


def edit_all(resources: Sequence[tuple[int, str, Sequence[Edit]]], *, validate_only: bool = True) -> Any:
    made = []
    for kind, name, edits in resources:
        configs = [
            incremental.AlterableConfig(name=key, config_operation=operation, value=value)
            for key, operation, value in edits
        ]
        made.append(incremental.AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs))
    return incremental.IncrementalAlterConfigsRequest(resources=made, validate_only=validate_only)


DESCRIBE_CASES = [
    Case("describe: set on the topic", 4, describe(TOPIC, "t", "retention.ms")),
    Case("describe: default of the topic", 4, describe(TOPIC, "t", "cleanup.policy", "max.message.bytes")),
    Case("describe: without synonyms", 4, describe(TOPIC, "t", "cleanup.policy", include_synonyms=False)),
    Case("describe: version 0", 0, describe(TOPIC, "t", "retention.ms", "cleanup.policy")),
    Case("describe: version 1", 1, describe(TOPIC, "t", "retention.ms", "cleanup.policy")),
    Case("describe: key that is not there", 4, describe(TOPIC, "t", "nope")),
    Case("describe: no keys", 4, describe(TOPIC, "t")),
    Case("describe: unknown topic", 4, describe(TOPIC, "unknown", "retention.ms")),
    Case("describe: invalid topic", 4, describe(TOPIC, "a/b", "retention.ms")),
    Case("describe: empty topic", 4, describe(TOPIC, "", "retention.ms")),
    Case("describe: static of the broker", 4, describe(BROKER, "0", "broker.id", "num.partitions")),
    Case("describe: default of the broker", 4, describe(BROKER, "0", "log.cleaner.threads", "log.retention.hours")),
    Case("describe: all brokers", 4, describe(BROKER, "", "log.cleaner.threads")),
    Case("describe: another broker", 4, describe(BROKER, "7", "broker.id")),
    Case("describe: broker that is no number", 4, describe(BROKER, "first", "broker.id")),
    Case("describe: secret of the broker", 4, describe(BROKER, "0", "ssl.keystore.password")),
    Case("describe: logger of the broker", 4, describe(LOGGER, "0", "nope")),
    Case("describe: loggers without a broker", 4, describe(LOGGER, "", "root")),
    Case("describe: loggers of another broker", 4, describe(LOGGER, "7", "root")),
    Case("describe: type of resource unknown", 4, describe(UNKNOWN_TYPE, "t", "root")),
    Case("describe: type of resource from nowhere", 4, describe(77, "t", "root")),
    Case("describe: no resources", 4, DescribeConfigsRequest(resources=[])),
]

ALTER_CASES = [
    Case("alter: topic", 2, alter(TOPIC, "t", {"retention.ms": "100000"})),
    Case("alter: unknown topic", 2, alter(TOPIC, "unknown", {"retention.ms": "5"})),
    Case("alter: invalid topic", 2, alter(TOPIC, "a/b", {"retention.ms": "5"})),
    Case("alter: unknown key", 2, alter(TOPIC, "t", {"nope": "5"})),
    Case("alter: invalid value", 2, alter(TOPIC, "t", {"retention.ms": "soon"})),
    Case("alter: null", 2, alter(TOPIC, "t", {"retention.ms": None})),
    Case("alter: read-only key of the broker", 2, alter(BROKER, "0", {"broker.id": "5"})),
    Case("alter: read-only key of all brokers", 2, alter(BROKER, "", {"log.dirs": "/elsewhere"})),
    Case("alter: broker", 2, alter(BROKER, "0", {"log.cleaner.threads": "2"})),
    Case("alter: unknown key of the broker", 2, alter(BROKER, "0", {"nope": "5"})),
    Case("alter: another broker", 2, alter(BROKER, "7", {"log.cleaner.threads": "2"})),
    Case("alter: broker that is no number", 2, alter(BROKER, "first", {"log.cleaner.threads": "2"})),
    Case("alter: invalid value of the broker", 2, alter(BROKER, "0", {"log.cleaner.threads": "0"})),
    Case("alter: loggers", 2, alter(LOGGER, "0", {"root": "INFO"})),
    Case("alter: type of resource unknown", 2, alter(UNKNOWN_TYPE, "t", {"a": "b"})),
    Case("alter: no resources", 2, AlterConfigsRequest(resources=[])),
]

INCREMENTAL_CASES = [
    Case("edit: set", 1, edit(TOPIC, "t", ("retention.ms", SET, "5"))),
    Case("edit: delete what is set", 1, edit(TOPIC, "t", ("retention.ms", DELETE, None))),
    Case("edit: delete what is not set", 1, edit(TOPIC, "t", ("segment.ms", DELETE, None))),
    Case("edit: delete an unknown key", 1, edit(TOPIC, "t", ("nope", DELETE, None))),
    Case("edit: append to a list", 1, edit(TOPIC, "t", ("cleanup.policy", APPEND, "compact"))),
    Case("edit: subtract from a list", 1, edit(TOPIC, "t", ("cleanup.policy", SUBTRACT, "delete"))),
    Case("edit: append to what is no list", 1, edit(TOPIC, "t", ("retention.ms", APPEND, "5"))),
    Case("edit: subtract from what is no list", 1, edit(TOPIC, "t", ("retention.ms", SUBTRACT, "5"))),
    Case("edit: append to an unknown key", 1, edit(TOPIC, "t", ("nope", APPEND, "5"))),
    Case("edit: no such operation", 1, edit(TOPIC, "t", ("retention.ms", NO_SUCH_OPERATION, "5"))),
    Case("edit: set to null", 1, edit(TOPIC, "t", ("retention.ms", SET, None))),
    Case("edit: append null", 1, edit(TOPIC, "t", ("cleanup.policy", APPEND, None))),
    Case("edit: unknown key", 1, edit(TOPIC, "t", ("nope", SET, "5"))),
    Case("edit: invalid value", 1, edit(TOPIC, "t", ("retention.ms", SET, "soon"))),
    Case("edit: out of range", 1, edit(TOPIC, "t", ("min.cleanable.dirty.ratio", SET, "7"))),
    Case("edit: twice the same key", 1, edit(TOPIC, "t", ("retention.ms", SET, "5"), ("retention.ms", SET, "6"))),
    Case("edit: unknown topic", 1, edit(TOPIC, "unknown", ("retention.ms", SET, "5"))),
    Case("edit: invalid topic", 1, edit(TOPIC, "a/b", ("retention.ms", SET, "5"))),
    Case("edit: empty topic", 1, edit(TOPIC, "", ("retention.ms", SET, "5"))),
    Case("edit: topic twice", 1, edit_all([(TOPIC, "t", [("retention.ms", SET, "5")])] * 2)),
    Case(
        "edit: one right, one wrong",
        1,
        edit_all([(TOPIC, "t", [("retention.ms", SET, "5")]), (TOPIC, "unknown", [("retention.ms", SET, "5")])]),
    ),
    Case("edit: broker", 1, edit(BROKER, "0", ("log.cleaner.threads", SET, "2"))),
    Case("edit: all brokers", 1, edit(BROKER, "", ("log.cleaner.threads", SET, "2"))),
    Case("edit: key of one broker for all", 1, edit(BROKER, "", ("listeners", SET, "PLAINTEXT://:1"))),
    Case("edit: read-only key of the broker", 1, edit(BROKER, "0", ("log.dirs", SET, "/elsewhere"))),
    Case("edit: unknown key of the broker", 1, edit(BROKER, "0", ("nope", SET, "2"))),
    Case("edit: invalid value of the broker", 1, edit(BROKER, "0", ("log.cleaner.threads", SET, "many"))),
    Case("edit: too small for the broker", 1, edit(BROKER, "0", ("log.cleaner.threads", SET, "0"))),
    Case("edit: threads by more than twice", 1, edit(BROKER, "0", ("num.io.threads", SET, "900"))),
    Case("edit: secret of the broker", 1, edit(BROKER, "0", (KEYSTORE_PASSWORD, SET, "secret"))),
    Case("edit: another broker", 1, edit(BROKER, "7", ("log.cleaner.threads", SET, "2"))),
    Case("edit: broker that is no number", 1, edit(BROKER, "first", ("log.cleaner.threads", SET, "2"))),
    Case("edit: unknown logger", 1, edit(LOGGER, "0", ("nope", SET, "INFO"))),
    Case("edit: unknown level", 1, edit(LOGGER, "0", ("root", SET, "LOUD"))),
    Case("edit: append to a logger", 1, edit(LOGGER, "0", ("root", APPEND, "INFO"))),
    Case("edit: delete the root logger", 1, edit(LOGGER, "0", ("root", DELETE, None))),
    Case("edit: loggers of another broker", 1, edit(LOGGER, "7", ("root", SET, "INFO"))),
    Case("edit: loggers without a broker", 1, edit(LOGGER, "", ("root", SET, "INFO"))),
    Case("edit: type of resource unknown", 1, edit(UNKNOWN_TYPE, "t", ("a", SET, "b"))),
    Case("edit: no resources", 1, edit_all([])),
]

# What is changed, and how it is seen afterwards.
STORED_CASES = [
    Case("stored: secret", 1, edit(BROKER, "0", (KEYSTORE_PASSWORD, SET, "secret"), validate_only=False)),
    Case("stored: secret of all", 1, edit(BROKER, "", (KEYSTORE_PASSWORD, SET, "secret"), validate_only=False)),
    Case("stored: broker", 1, edit(BROKER, "0", ("log.cleaner.threads", SET, "2"), validate_only=False)),
    Case("stored: all brokers", 1, edit(BROKER, "", ("background.threads", SET, "11"), validate_only=False)),
    Case("stored: both are seen", 4, describe(BROKER, "0", "log.cleaner.threads", "background.threads"), '"11"'),
    Case("stored: the default alone", 4, describe(BROKER, "", "background.threads"), '"11"'),
    Case("stored: topic", 1, edit(TOPIC, "t", ("max.message.bytes", SET, "64000"), validate_only=False)),
    Case("stored: list", 1, edit(TOPIC, "t", ("cleanup.policy", APPEND, "compact"), validate_only=False)),
    Case("stored: topic is seen", 4, describe(TOPIC, "t", "max.message.bytes", "cleanup.policy")),
    Case("stored: all of the topic but one", 2, alter(TOPIC, "t", {"retention.ms": "100000"}, validate_only=False)),
    Case("stored: the others are gone", 4, describe(TOPIC, "t", "retention.ms", "max.message.bytes", "cleanup.policy")),
]

CONFIG_CASES = [*DESCRIBE_CASES, *ALTER_CASES, *INCREMENTAL_CASES, *STORED_CASES]
