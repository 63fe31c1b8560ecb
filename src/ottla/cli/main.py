"""The entry point. Commands are named here with their one-line help and imported only when they run.

Exit codes: 0 done, 1 failed, 2 the operator must change something (a bad option, key or value), 130 interrupted,
141 whoever read our output went away. A tool under Kafka's own name ends with the code that Kafka's ends with.
"""

import os
import sys
from typing import Any, NoReturn

import click

from ottla import __version__
from ottla.cli.kafka.names import KAFKA_TOOLS
from ottla.cli.lazy_group import LazyGroup, LazyTable
from ottla.errors.tree import OperatorError, OttlaError

_SERVERS: LazyTable = {
    "start": ("ottla.cli.start", "start", "Start a broker."),
    "zookeeper": ("ottla.cli.zookeeper", "zookeeper", "Start a ZooKeeper server of its own."),
}
_COMMANDS: LazyTable = {
    "produce": ("ottla.cli.produce", "produce", "Send lines as records."),
    "consume": ("ottla.cli.consume", "consume", "Write the records of topics to standard output."),
    "load": ("ottla.cli.load", "load", "Load topics into Parquet, Delta Lake or Iceberg tables, with Spark."),
    "topics": ("ottla.cli.topics", "topics", "List, create, describe, alter and delete topics."),
    "groups": ("ottla.cli.groups", "groups", "Consumer groups: list, describe, reset offsets, delete."),
    "configs": ("ottla.cli.configs", "configs", "Show and change the configuration of topics and brokers."),
    "brokers": ("ottla.cli.brokers", "brokers", "The brokers and what lies on them."),
    "cluster": (
        "ottla.cli.cluster",
        "cluster",
        "The cluster at a glance (exit code 1: not healthy).",
    ),
    "offsets": ("ottla.cli.offsets", "offsets", "First and next offsets of partitions, or those at a time."),
    "records": ("ottla.cli.records", "records", "Delete records before an offset."),
    "leaders": ("ottla.cli.leaders", "leaders", "Elect leaders."),
    "perf": ("ottla.cli.perf", "perf", "How fast a cluster takes and gives records, measured from here."),
    "spark": ("ottla.cli.spark", "spark", "Ottla on a Spark cluster: what its executors need."),
    "log": ("ottla.cli.log", "log", "Look into log files, check them, take over log directories."),
}

OTHER_EXITS = {"interrupted": 130, "pipe closed": 141}


class ReaderGoneError(Exception):
    """A BrokenPipeError under another name: click has an opinion of its own about the first."""


class Ottla(LazyGroup):
    sections = {"Servers": _SERVERS, "Commands": _COMMANDS, "Kafka's own tools, with Kafka's own options": KAFKA_TOOLS}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Kafka's tools answer to `kafka-topics`, `kafka-topics.sh` and, where that is nobody else, `run-class` too."""
        name = cmd_name.removesuffix(".sh")
        return super().get_command(ctx, name) or super().get_command(ctx, f"kafka-{name}")

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGoneError from error

    def load(self, name: str, module: str, attribute: str) -> click.Command:
        if name not in KAFKA_TOOLS:
            return super().load(name, module, attribute)
        from ottla.cli.kafka.command import foreign_command

        return foreign_command(name, module, attribute)


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
    """Whoever read our output has gone (`| head`): what is still buffered must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(OTHER_EXITS["pipe closed"])
