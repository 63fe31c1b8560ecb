"""`zookeeper-shell HOST:PORT [command]`."""

from collections.abc import Sequence

from ottla.cli.kafka.options import ToolOptions
from ottla.cli.zookeeper_shell import run_shell


def main(arguments: Sequence[str]) -> int:
    options = ToolOptions("zookeeper-shell", "Look into ZooKeeper.")
    if not arguments or arguments[0].startswith("--"):
        options.fail("USAGE: zookeeper-shell zookeeper_host:port[/path] [args...]")
    connect, *words = arguments
    print(f"Connecting to {connect}", flush=True)
    if not words:
        print("Welcome to ZooKeeper!", flush=True)
    return run_shell(connect, words)
