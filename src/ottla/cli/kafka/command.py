"""One of Kafka's tools as a command of `ottla`: its arguments go to it untouched, and its exit code is ours."""

import importlib
import sys

import click


def foreign_command(name: str, module: str, attribute: str) -> click.Command:
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
