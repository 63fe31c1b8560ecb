"""`kafka-configs`: describe and alter the configuration of topics, brokers and groups, and quotas of clients."""

import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ottla.cli.kafka.clients import open_admin
from ottla.cli.kafka.java import boolean, exception_name, exception_text
from ottla.cli.kafka.options import ToolOptions, bootstrap_options
from ottla.cli.kafka.quota_configs import ENTITY_KINDS, alter_quotas, describe_quotas
from ottla.clients.admin.types import ConfigEntry, ConfigResource, ConfigSource, ResourceType
from ottla.config import read_properties
from ottla.errors import ConfigError, KafkaError

if TYPE_CHECKING:
    from ottla import Admin

_SINGULAR = {"topics": "topic", "brokers": "broker", "groups": "group", "broker-loggers": "broker-logger"}
_QUOTA_SINGULAR = {"clients": "client", "users": "user", "ips": "ip"}
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
            if set(given.entity_types) <= set(ENTITY_KINDS):
                _run_quotas(admin, given)
            elif given.alter:
                _alter(admin, given)
            else:
                for name in _names(admin, given):
                    _describe(admin, given, name)
    except KafkaError as error:
        name, text = exception_name(error), exception_text(error)
        print(f"Error while executing config command with args '{shlex.join(arguments)}'", file=sys.stderr)
        print(f"java.util.concurrent.ExecutionException: {name}: {text}\nCaused by: {name}: {text}", file=sys.stderr)
        return 1
    except ConfigError as error:
        print(f"Error while executing config command with args '{shlex.join(arguments)}'", file=sys.stderr)
        print(f"java.lang.IllegalArgumentException: {error}", file=sys.stderr)
        return 1
    return 0


def _parse(arguments: Sequence[str]) -> Namespace:
    options = ToolOptions("kafka-configs", "Describe and alter configurations.")
    bootstrap_options(options)
    options.flag("--alter")
    options.flag("--describe")
    options.flag("--all", help="with --describe: the defaults too")
    options.values("--entity-type", help="topics, brokers, groups; users and clients, which may come together; ips")
    options.add_argument("--entity-name", action="append", dest="entity_names", default=[])
    options.add_argument(
        "--entity-default", action="append_const", const=None, dest="entity_names", help="the default of all of them"
    )
    for entity_type, singular in (_SINGULAR | _QUOTA_SINGULAR).items():
        if entity_type != "groups":
            options.value(f"--{singular}", help=f"short for --entity-type {entity_type} --entity-name")
    for singular in ("broker", *_QUOTA_SINGULAR.values()):
        options.flag(f"--{singular}-defaults", help=f"short for --entity-type {singular}s --entity-default")
    options.value("--add-config", help="k1=v1,k2=[v2a,v2b]")
    options.value("--add-config-file", help="file of properties")
    options.value("--delete-config", help="k1,k2")
    options.flag("--force", help="accepted, without effect")
    given = options.parse(arguments)
    _apply_short_forms(given)
    if given.alter == given.describe:
        options.fail("Command must include exactly one action: --describe, --alter")
    for entity_type in given.entity_types or [None]:
        if entity_type not in (*_TYPES, *ENTITY_KINDS):
            known = ", ".join((*_TYPES, *ENTITY_KINDS))
            options.fail(f"Invalid entity type {entity_type}, the entity type must be one of {known}")
    if len(given.entity_types) > 1 and set(given.entity_types) != {"users", "clients"}:
        options.fail("Only users and clients may be named together")
    if given.alter and len(given.entity_names) != len(given.entity_types):
        options.fail("An entity-name or default entity must be specified with --alter of topics, brokers")
    if given.alter and not (given.add_config or given.add_config_file or given.delete_config):
        options.fail("At least one of --add-config, --add-config-file or --delete-config must come with --alter")
    return given


def _apply_short_forms(given: Namespace) -> None:
    """`entity_types` and `entity_names` side by side, None for a default. Only quotas look at the second pair."""
    given.entity_types, given.entity_names = list(given.entity_type), list(given.entity_names)
    for entity_type, singular in (_SINGULAR | _QUOTA_SINGULAR).items():
        attribute = singular.replace("-", "_")
        is_default = getattr(given, f"{attribute}_defaults", False)
        if getattr(given, attribute, None) is not None or is_default:
            given.entity_types.append(entity_type)
            given.entity_names.append(None if is_default else getattr(given, attribute))
    given.entity_type = given.entity_types[0] if given.entity_types else None
    given.entity_name = given.entity_names[0] if given.entity_names else None
    given.entity_default = bool(given.entity_names) and given.entity_name is None


def _run_quotas(admin: "Admin", given: Namespace) -> None:
    if not given.alter:
        describe_quotas(admin, given.entity_types, given.entity_names)
        return
    alter_quotas(admin, given.entity_types, given.entity_names, _changes(given))
    _say_completed(given, _QUOTA_SINGULAR[given.entity_type])


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


def _changes(given: Namespace) -> dict[str, str | None]:
    changes: dict[str, str | None] = {}
    if given.add_config_file:
        changes.update(read_properties(Path(given.add_config_file)))
    if given.add_config:
        changes.update(parse_added(given.add_config))
    if given.delete_config:
        changes.update(dict.fromkeys(name.strip() for name in given.delete_config.split(",")))
    return changes


def _alter(admin: "Admin", given: Namespace) -> None:
    resource = ConfigResource(_TYPES[given.entity_type], given.entity_name or "")
    admin.alter_configs({resource: _changes(given)}).check()
    _say_completed(given, _SINGULAR[given.entity_type])


def _say_completed(given: Namespace, singular: str) -> None:
    if given.entity_name:
        print(f"Completed updating config for {singular} {given.entity_name}.")
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
