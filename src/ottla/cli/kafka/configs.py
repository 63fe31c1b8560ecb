"""`kafka-configs`: describe and alter the configuration of topics, brokers and groups."""

import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.java import boolean, exception_name, exception_text
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.clients.admin.types import ConfigEntry, ConfigResource, ConfigSource, ResourceType
from ottla.config import read_properties
from ottla.errors import KafkaError

if TYPE_CHECKING:
    from ottla import Admin

_SINGULAR = {"topics": "topic", "brokers": "broker", "groups": "group", "broker-loggers": "broker-logger"}
_TYPES = {
    "topics": ResourceType.TOPIC,
    "brokers": ResourceType.BROKER,
    "groups": ResourceType.GROUP,
    "broker-loggers": ResourceType.BROKER_LOGGER,
}
_DYNAMIC = {
    "topics": ConfigSource.DYNAMIC_TOPIC_CONFIG,
    "brokers": ConfigSource.DYNAMIC_BROKER_CONFIG,
    "groups": ConfigSource.DYNAMIC_GROUP_CONFIG,
    "broker-loggers": ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG,
}


def main(arguments: Sequence[str]) -> int:
    given = _parse(arguments)
    try:
        with open_admin(given.bootstrap_server, given.command_config) as admin:
            if given.alter:
                _alter(admin, given)
            else:
                for name in _names(admin, given):
                    _describe(admin, given, name)
    except KafkaError as error:
        name, text = exception_name(error), exception_text(error)
        print(f"Error while executing config command with args '{shlex.join(arguments)}'", file=sys.stderr)
        print(f"java.util.concurrent.ExecutionException: {name}: {text}\nCaused by: {name}: {text}", file=sys.stderr)
        return 1
    return 0


def _parse(arguments: Sequence[str]) -> Namespace:
    options = ToolOptions("kafka-configs", "Describe and alter configurations.")
    bootstrap_options(options)
    options.flag("--alter")
    options.flag("--describe")
    options.flag("--all", help="with --describe: the defaults too")
    options.value("--entity-type", help="topics, brokers or groups")
    options.value("--entity-name")
    options.flag("--entity-default", help="the default of all brokers")
    options.value("--topic", help="short for --entity-type topics --entity-name")
    options.value("--broker", help="short for --entity-type brokers --entity-name")
    options.flag("--broker-defaults", help="short for --entity-type brokers --entity-default")
    options.value("--broker-logger", help="short for --entity-type broker-loggers --entity-name")
    options.value("--add-config", help="k1=v1,k2=[v2a,v2b]")
    options.value("--add-config-file", help="file of properties")
    options.value("--delete-config", help="k1,k2")
    options.flag("--force", help="accepted, without effect")
    given = options.parse(arguments)
    _apply_short_forms(given)
    if given.alter == given.describe:
        options.fail("Command must include exactly one action: --describe, --alter")
    if given.entity_type not in _TYPES:
        options.fail(f"Invalid entity type {given.entity_type}, the entity type must be one of {', '.join(_TYPES)}")
    if given.alter and given.entity_name is None and not given.entity_default:
        options.fail("An entity-name or default entity must be specified with --alter of topics, brokers")
    if given.alter and not (given.add_config or given.add_config_file or given.delete_config):
        options.fail("At least one of --add-config, --add-config-file or --delete-config must come with --alter")
    return given


def _apply_short_forms(given: Namespace) -> None:
    for kind, name in (("topics", given.topic), ("brokers", given.broker), ("broker-loggers", given.broker_logger)):
        if name is not None:
            given.entity_type, given.entity_name = kind, name
    if given.broker_defaults:
        given.entity_type, given.entity_default = "brokers", True


def _names(admin: "Admin", given: Namespace) -> list[str]:
    if given.entity_default:
        return [""]
    if given.entity_name is not None:
        return [given.entity_name]
    if given.entity_type == "topics":
        return sorted(admin.list_topics(include_internal=True))
    return [str(broker.node_id) for broker in admin.describe_cluster().brokers] + [""]


def _describe(admin: "Admin", given: Namespace, name: str) -> None:
    kind = _SINGULAR[given.entity_type]
    if name == "":
        print(f"Default configs for {given.entity_type} in the cluster are:")
    else:
        print(f"{'All' if given.all else 'Dynamic'} configs for {kind} {name} are:")
    resource = ConfigResource(_TYPES[given.entity_type], name)
    entries = admin.describe_configs([resource], include_synonyms=True)[resource]
    wanted = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG if name == "" else _DYNAMIC[given.entity_type]
    for entry in sorted(entries.values()):
        if given.all or entry.source is wanted:
            print(_entry_line(entry))


def _entry_line(entry: ConfigEntry) -> str:
    synonyms = ", ".join(f"{source.name}:{name}={_value(value)}" for name, value, source in entry.synonyms)
    return f"  {entry.name}={_value(entry.value)} sensitive={boolean(entry.is_sensitive)} synonyms={{{synonyms}}}"


def _value(value: str | None) -> str:
    return "null" if value is None else value


def _alter(admin: "Admin", given: Namespace) -> None:
    changes: dict[str, str | None] = {}
    if given.add_config_file:
        changes.update(read_properties(Path(given.add_config_file)))
    if given.add_config:
        changes.update(parse_added(given.add_config))
    if given.delete_config:
        changes.update(dict.fromkeys(name.strip() for name in given.delete_config.split(",")))
    name = given.entity_name or ""
    admin.alter_configs({ConfigResource(_TYPES[given.entity_type], name): changes}).check()
    if name:
        print(f"Completed updating config for {_SINGULAR[given.entity_type]} {name}.")
    else:
        print(f"Completed updating default config for {given.entity_type} in the cluster.")


def parse_added(text: str) -> dict[str, str]:
    """`a=1,b=[x,y],c=`: commas inside brackets belong to the value, the brackets do not."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += {"[": 1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    parts.append(current)
    pairs = (part.partition("=") for part in parts if part.strip())
    return {name.strip(): value.strip().removeprefix("[").removesuffix("]") for name, _equals, value in pairs}
