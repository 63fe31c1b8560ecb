"""`kafka-server-start|stop` and `zookeeper-server-start|stop`: servers by Kafka's script names.

Stopping finds the processes that were started so, by their command lines: those that were given the named file, or, as
Kafka's own scripts do it, all of them that belong to this user.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from ottla.cli.kafka.options import ToolOptions

BROKER_COMMANDS = frozenset({"start", "kafka-server-start", "kafka-server-start.sh"})
ZOOKEEPER_COMMANDS = frozenset({"zookeeper", "zookeeper-server-start", "zookeeper-server-start.sh"})


def start_broker(arguments: Sequence[str]) -> int:
    options = ToolOptions("kafka-server-start", "Start a broker.")
    options.add_argument("-daemon", action="store_true", help="in the background; prints nothing")
    options.add_argument("properties_file", metavar="server.properties")
    options.values("--override", help="key=value")
    given = options.parse(arguments)
    overrides = [word for override in given.override for word in ("--override", override)]
    if given.daemon:
        return _start_in_background(["start", given.properties_file, *overrides])
    from ottla.cli.commands.start import start

    start.main([given.properties_file, *overrides], standalone_mode=False)
    return 0


def start_zookeeper(arguments: Sequence[str]) -> int:
    options = ToolOptions("zookeeper-server-start", "Start a ZooKeeper server.")
    options.add_argument("-daemon", action="store_true", help="in the background; prints nothing")
    options.add_argument("properties_file", metavar="zookeeper.properties")
    given = options.parse(arguments)
    if given.daemon:
        return _start_in_background(["zookeeper", given.properties_file])
    from ottla.cli.commands.zookeeper import start_server

    return start_server(Path(given.properties_file))


def stop_broker(arguments: Sequence[str]) -> int:
    return _stop("kafka-server-stop", arguments, BROKER_COMMANDS, "No kafka server to stop")


def stop_zookeeper(arguments: Sequence[str]) -> int:
    return _stop("zookeeper-server-stop", arguments, ZOOKEEPER_COMMANDS, "No zookeeper server to stop")


def _stop(name: str, arguments: Sequence[str], commands: Collection[str], none_text: str) -> int:
    options = ToolOptions(name, "Stop servers: SIGTERM to those that run.")
    options.add_argument("properties_file", nargs="?", help="only the one that was started with this file")
    given = options.parse(arguments)
    found = list(running(commands, given.properties_file))
    if not found:
        print(none_text)
        return 1
    for pid in found:
        os.kill(pid, signal.SIGTERM)
    return 0


def running(commands: Collection[str], properties_file: str | None) -> Iterator[int]:
    """The processes of this user that run one of the commands, with this file where one is named."""
    wanted = None if properties_file is None else os.path.realpath(properties_file)
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if entry.stat().st_uid != os.getuid() or int(entry.name) == os.getpid():
                continue
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            home = os.readlink(entry / "cwd")
        except OSError:
            continue  # it has ended meanwhile, or is not ours to look at
        rest = _arguments(words, commands)
        if rest is not None and (
            wanted is None or wanted in {os.path.realpath(os.path.join(home, one)) for one in rest}
        ):
            yield int(entry.name)


def _arguments(words: Sequence[str], commands: Collection[str]) -> Sequence[str] | None:
    """What follows the command, when this is `ottla COMMAND ...` or `python -m ottla COMMAND ...`."""
    for position, word in enumerate(words[:-1]):
        is_ottla = os.path.basename(word) == "ottla" or (word == "ottla" and words[position - 1] == "-m")
        if is_ottla and words[position + 1] in commands:
            return words[position + 2 :]
    return None


def _start_in_background(arguments: Sequence[str]) -> int:
    subprocess.Popen(
        [sys.executable, "-m", "ottla", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return 0
