"""`ottla configs topic|broker|brokers|group NAME [KEY[=VALUE]...]`: show and change."""

from typing import TYPE_CHECKING

import click

from ottla.cli.connection import Target, connected
from ottla.cli.output import Format, print_outcomes, print_rows
from ottla.errors.tree import OperatorError

if TYPE_CHECKING:
    from ottla.clients.admin.types import ConfigEntry, ConfigResource

KINDS = ["topic", "broker", "brokers", "group"]


@click.command()
@click.argument("kind", type=click.Choice(KINDS), metavar="topic|broker|brokers|group")
@click.argument("arguments", nargs=-1, metavar="[NAME] [KEY[=VALUE]]...")
@click.option("-d", "--delete", "deleted", multiple=True, metavar="KEY", help="Back to the default.")
@click.option("--all", "show_all", is_flag=True, help="Show the defaults too.")
@click.option("--dry-run", is_flag=True, help="Only ask the broker whether it could be.")
@connected
def configs(
    target: Target, kind: str, arguments: tuple[str, ...], deleted: tuple[str, ...], show_all: bool, dry_run: bool
) -> None:
    """Show what is set, or change it.

    \b
    ottla configs topic clicks                       what is set for the topic
    ottla configs topic clicks retention.ms          one key, wherever its value comes from
    ottla configs topic clicks retention.ms=60000    set it
    ottla configs topic clicks -d retention.ms       back to the default
    ottla configs brokers                            the defaults of all brokers
    """
    from ottla.cli.config_hints import near_keys_named

    resource, words = _resource(kind, arguments)
    changes: dict[str, str | None] = {
        key: value for key, equals, value in (word.partition("=") for word in words) if equals
    }
    changes.update(dict.fromkeys(deleted))
    asked = [word for word in words if "=" not in word]
    with target.admin() as admin, near_keys_named(kind, changes):
        if changes:
            admin.alter_configs({resource: changes}, validate_only=dry_run).check()
            if not asked or target.format is Format.TABLE:  # else the values asked for are the one result
                name, outcome = f"{kind} {resource.name}".strip(), "could be altered" if dry_run else "altered"
                print_outcomes(target.format, "resource", [(name, outcome)])
        if not changes or asked:
            found = admin.describe_configs([resource], names=asked or None)[resource]
            _refuse_unknown(kind, [key for key in asked if key not in found])
            _print(target, [entry for entry in found.values() if show_all or asked or not _is_default(entry)])


def _refuse_unknown(kind: str, keys: list[str]) -> None:
    """Asked for by name, and the broker has no such key."""
    from ottla.cli.config_hints import nearest_key

    for key in keys:
        near = nearest_key(kind, key)
        raise OperatorError(f"there is no key {key}" + (f": did you mean {near}?" if near else ""))


def _resource(kind: str, arguments: tuple[str, ...]) -> "tuple[ConfigResource, list[str]]":
    from ottla.clients.admin.types import ConfigResource, ResourceType

    if kind == "brokers":
        return ConfigResource.broker(), list(arguments)
    if not arguments:
        raise click.UsageError(f"which {kind}? Its {'id' if kind == 'broker' else 'name'} is missing")
    name, *words = arguments
    if kind == "broker" and not name.isdigit():
        raise click.UsageError(f"{name} is no broker id; `ottla brokers` shows them")
    types = {"topic": ResourceType.TOPIC, "broker": ResourceType.BROKER, "group": ResourceType.GROUP}
    return ConfigResource(types[kind], name), words


def _is_default(entry: "ConfigEntry") -> bool:
    from ottla.clients.admin.types import ConfigSource

    return entry.source in (ConfigSource.DEFAULT_CONFIG, ConfigSource.STATIC_BROKER_CONFIG)


def _print(target: Target, entries: "list[ConfigEntry]") -> None:
    rows = [
        (entry.name, None if entry.is_sensitive else entry.value, entry.source.name.lower(), entry.is_read_only)
        for entry in sorted(entries)
    ]
    print_rows(target.format, ["key", "value", "source", "read_only"], rows)
