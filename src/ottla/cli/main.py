"""The entry point. Commands are named here with their one-line help and imported only when they run.

Exit codes: 0 done, 1 failed, 2 the operator must change something (a bad option, key or value), 130 interrupted.
"""

import importlib
import sys

import click

from ottla import __version__
from ottla.errors.tree import OperatorError, OttlaError

# name: (module, attribute, one-line help)
COMMANDS = {
    "start": ("ottla.cli.start", "start", "Start a broker."),
    "zookeeper": ("ottla.cli.zookeeper", "zookeeper", "Start a ZooKeeper server of its own."),
}


class LazyCommands(click.Group):
    """A group whose commands are imported on use, and listed without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _help = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_module, _attribute, summary) in COMMANDS.items()])


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ottla")
def cli() -> None:
    """Kafka's event streaming, in Python."""


def main() -> None:
    try:
        cli.main(prog_name="ottla", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except OttlaError as error:
        click.echo(f"ottla: {error}", err=True)
        sys.exit(2 if isinstance(error, OperatorError) else 1)
