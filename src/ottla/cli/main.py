"""The entry point. Commands are named here with their one-line help and imported only when they run.

Exit codes: 0 done, 1 failed, 2 the operator must change something (a bad option, key or value), 130 interrupted,
141 the reader of our output went away. A tool under Kafka's own name ends with the code that Kafka's ends with.
"""

import importlib
import os
import sys
from typing import Any, NoReturn

import click

from ottla import __version__
from ottla.cli.kafka.names import KAFKA_TOOLS
from ottla.cli.lazy_group import LazyGroup, LazyTable
from ottla.errors.tree import OperatorError, OttlaError

_SERVERS: LazyTable = {
    "start": ("ottla.cli.commands.start", "start", "Start a broker."),
    "zookeeper": ("ottla.cli.commands.zookeeper", "zookeeper", "Start a ZooKeeper server of its own."),
}
_COMMANDS: LazyTable = {
    "produce": ("ottla.cli.commands.produce", "produce", "Send lines as records."),
    "consume": ("ottla.cli.commands.consume", "consume", "Write the records of topics to standard output."),
    "load": ("ottla.cli.commands.load", "load", "Load topics into Parquet, Delta Lake or Iceberg tables, with Spark."),
    "topics": ("ottla.cli.commands.topics", "topics", "List, create, describe, alter and delete topics."),
    "groups": ("ottla.cli.commands.groups", "groups", "Consumer groups: list, describe, reset offsets, delete."),
    "configs": ("ottla.cli.commands.configs", "configs", "Show and change the configuration of topics and brokers."),
    "brokers": ("ottla.cli.commands.brokers", "brokers", "The brokers and what lies on them."),
    "cluster": ("ottla.cli.commands.cluster", "cluster", "The cluster at a glance (exit code 1: not healthy)."),
    "offsets": ("ottla.cli.commands.offsets", "offsets", "First and next offsets of partitions, or those at a time."),
    "records": ("ottla.cli.commands.records", "records", "Delete records before an offset."),
    "leaders": ("ottla.cli.commands.leaders", "leaders", "Elect leaders."),
    "perf": ("ottla.cli.commands.perf", "perf", "How fast a cluster takes and gives records, measured from here."),
    "spark": ("ottla.cli.commands.spark", "spark", "Ottla on a Spark cluster: what its executors need."),
    "log": ("ottla.cli.commands.log", "log", "Look into log files, check them, take over log directories."),
}

OTHER_EXITS = {"interrupted": 130, "pipe closed": 141}


class ReaderGoneError(Exception):
    """A BrokenPipeError under another name: click has an opinion of its own about the first."""


class Ottla(LazyGroup):
    sections = {"Servers": _SERVERS, "Commands": _COMMANDS, "Kafka's own tools, with Kafka's own options": KAFKA_TOOLS}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """`kafka-run-class` is also `kafka-run-class.sh` and, where no command of ours has that name, `run-class`."""
        name = cmd_name.removesuffix(".sh")
        return super().get_command(ctx, name) or super().get_command(ctx, f"kafka-{name}")

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def load(self, name: str, module: str, attribute: str) -> click.Command:
        return (_kafka_tool if name in KAFKA_TOOLS else super().load)(name, module, attribute)


def _kafka_tool(name: str, module: str, attribute: str) -> click.Command:
    """One of Kafka's tools as a command of `ottla`: its arguments go to it untouched, and its exit code is ours."""
    settings = {"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []}

    @click.command(name, context_settings=settings, add_help_option=False)
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def run(arguments: tuple[str, ...]) -> None:
        tool = getattr(importlib.import_module(module), attribute)
        sys.stdout.flush()
        code = tool(list(arguments))
        sys.stdout.flush()
        if code:
            sys.exit(code)

    return run


@click.group(cls=Ottla, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ottla")
def cli() -> None:
    """Kafka's event streaming, in Python."""


def main() -> None:
    try:
        cli.main(prog_name="ottla", standalone_mode=False, color=_color())
        sys.stdout.flush()
    except click.ClickException as error:
        _report(error)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(OTHER_EXITS["interrupted"])
    except (ReaderGoneError, BrokenPipeError):
        _end_without_output()
    except OttlaError as error:
        _report(error)
        sys.exit(2 if isinstance(error, OperatorError) else 1)
    except OSError as error:  # a file that may not be read, a disk that is full
        _report(error)
        sys.exit(1)


def _color() -> bool | None:
    """Whether to print colours: never with NO_COLOR in the environment (no-color.org), else only on a terminal."""
    return False if os.environ.get("NO_COLOR") else None


def _report(error: click.ClickException | OttlaError | OSError) -> None:
    from ottla.cli.error_report import report

    report(error, sys.argv[1:], color=_color())


def _end_without_output() -> NoReturn:
    """The reader of our output has gone (`| head`). What is still buffered must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(OTHER_EXITS["pipe closed"])
