"""`ottla zookeeper [zoo.cfg]`: the embedded ZooKeeper as a process; `ottla zookeeper shell`: look into one."""

import asyncio
import sys
from pathlib import Path

import click


class ServerOrShell(click.Group):
    """`shell` is a command; anything else is the server's, whose file may have any other name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] != ["shell"] and args[:1] not in (["--help"], ["-h"]):
            args = ["server", *args]
        return super().parse_args(ctx, args)


@click.group(cls=ServerOrShell, options_metavar="[zoo.cfg] |", subcommand_metavar="shell [HOST:PORT] [COMMAND]...")
def zookeeper() -> None:
    """Start a ZooKeeper server with the keys of a zoo.cfg, or with none: localhost:2181, data under ./data.

    `ottla zookeeper shell` looks into one that runs.
    """


@zookeeper.command(hidden=True)
@click.argument("config_file", required=False, type=click.Path(path_type=Path), metavar="[zoo.cfg]")
def server(config_file: Path | None) -> None:
    """Start a ZooKeeper server."""
    sys.exit(start_server(config_file))


def start_server(config_file: Path | None) -> int:
    """Until Ctrl-C or SIGTERM."""
    from ottla.coordination.embedded.standalone import load_config, serve
    from ottla.observability.logs import setup_logging

    setup_logging()
    return asyncio.run(serve(load_config(None if config_file is None else str(config_file))))


@zookeeper.command(context_settings={"ignore_unknown_options": True})
@click.argument("connect", default="localhost:2181", metavar="[HOST:PORT]")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[COMMAND]...")
def shell(connect: str, words: tuple[str, ...]) -> None:
    """Look into ZooKeeper: `ls /`, `get /brokers/ids/0`, ... One command, or lines of standard input."""
    from ottla.cli.zookeeper_shell import run_shell

    sys.exit(run_shell(connect, list(words)))
