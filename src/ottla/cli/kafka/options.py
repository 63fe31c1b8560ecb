"""The command line of one of Kafka's tools: long options, `--key value` or `--key=value`, abbreviated where unique.

A wrong one is said on standard error and ends with 1, as Kafka's tools do it. Names that Kafka has given up in favour
of others (`--broker-list`) are declared with the new ones, so that old scripts go on working.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from ottla import __version__


class UsageError(Exception):
    """What is wrong with the command line, in Kafka's words where scripts may look for them."""


class ToolOptions(argparse.ArgumentParser):
    """`flag`, `value` and `values` declare options; `parse` gives them by attribute, dashes and dots as underscores."""

    def __init__(self, name: str, purpose: str) -> None:
        super().__init__(prog=name, description=purpose, add_help=False)
        self.add_argument("--help", action="help", help="show this and exit")
        self.add_argument("--version", action="version", version=f"Ottla {__version__}")

    def flag(self, *names: str, help: str | None = None) -> None:  # noqa: A002
        self.add_argument(*names, action="store_true", help=help, dest=_attribute(names[0]))

    def value(
        self,
        *names: str,
        type: type = str,  # noqa: A002
        default: object = None,
        help: str | None = None,  # noqa: A002
        required: bool = False,
        metavar: str | None = None,
    ) -> None:
        """An option with one value; given twice, the last one counts."""
        self.add_argument(
            *names, type=type, default=default, help=help, required=required, dest=_attribute(names[0]), metavar=metavar
        )

    def values(self, *names: str, help: str | None = None) -> None:  # noqa: A002
        """An option that may be repeated."""
        self.add_argument(*names, action="append", default=[], help=help, dest=_attribute(names[0]))

    def parse(self, arguments: Sequence[str]) -> argparse.Namespace:
        return self.parse_args(list(arguments))

    def error(self, message: str) -> NoReturn:
        self.fail(message)

    def fail(self, message: str) -> NoReturn:
        print(message, file=sys.stderr)
        self.print_usage(sys.stderr)
        sys.exit(1)


def _attribute(name: str) -> str:
    return name.lstrip("-").replace("-", "_").replace(".", "_")


def bootstrap_options(options: ToolOptions, *old_names: str, required: bool = True) -> None:
    """--bootstrap-server and the file of client properties."""
    options.value("--bootstrap-server", *old_names, required=required, help="host:port of brokers to begin from")
    options.value("--command-config", "--command.config", help="file with properties of the client")
