"""`ottla start [server.properties] [--override key=value]...`: one broker, until Ctrl-C or SIGTERM."""

import gc
from pathlib import Path

import click

from ottla.config import BrokerConfig, parse_override, read_properties


@click.command()
@click.argument("properties_file", required=False, type=click.Path(path_type=Path), metavar="[server.properties]")
@click.option("--override", "overrides", multiple=True, metavar="KEY=VALUE", help="Set a key, over the file's value.")
@click.option("--tour", is_flag=True, help="Print what to try next once the broker is up.")
def start(properties_file: Path | None, overrides: tuple[str, ...], tour: bool) -> None:
    """Start a broker with the keys of a properties file, or with none: localhost:9092, data under ./data."""
    properties = read_properties(properties_file) if properties_file is not None else {}
    properties.update(parse_override(override) for override in overrides)
    config = BrokerConfig.load(properties)
    gc.disable()  # What is imported stays: looking through it again and again would take a twentieth of the start.
    from ottla.broker.process import run_broker  # Imported late: a wrong key should be told at once.

    gc.enable()

    run_broker(config, tour=tour)
