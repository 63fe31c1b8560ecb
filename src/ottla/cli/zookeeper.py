"""`ottla zookeeper [zoo.cfg]`: the embedded ZooKeeper as a process of its own, until Ctrl-C or SIGTERM."""

import asyncio
import sys
from pathlib import Path

import click


@click.command()
@click.argument("config_file", required=False, type=click.Path(path_type=Path), metavar="[zoo.cfg]")
def zookeeper(config_file: Path | None) -> None:
    """Start a ZooKeeper server with the keys of a zoo.cfg, or with none: localhost:2181, data under ./data."""
    from ottla.coordination.embedded.standalone import load_config, serve
    from ottla.observability.logs import setup_logging

    setup_logging()
    sys.exit(asyncio.run(serve(load_config(None if config_file is None else str(config_file)))))
