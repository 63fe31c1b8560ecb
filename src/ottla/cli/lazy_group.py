"""A group of commands that are named here with their one-line help and imported only when they run."""

import importlib
from collections.abc import Mapping

import click

# name: (module, attribute, one-line help)
LazyTable = Mapping[str, tuple[str, str, str]]


class LazyGroup(click.Group):
    """Listed without importing anything; `sections` are the headings of the help with the commands under them."""

    sections: Mapping[str, LazyTable] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for table in self.sections.values() for name in table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for table in self.sections.values():
            if cmd_name in table:
                module, attribute, _help = table[cmd_name]
                return self.load(cmd_name, module, attribute)
        return None

    def load(self, name: str, module: str, attribute: str) -> click.Command:
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, table in self.sections.items():
            if not table:
                continue
            with formatter.section(heading):
                formatter.write_dl([(name, summary) for name, (_module, _attribute, summary) in table.items()])
