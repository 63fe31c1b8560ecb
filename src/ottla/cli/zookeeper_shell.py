"""A shell for ZooKeeper with the commands of its own `zkCli`: one from the command line, or lines of standard input."""

import shlex
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from ottla.cli.zookeeper_client import connected_client
from ottla.coordination.acl import ADMIN, CREATE, DELETE, READ, WRITE
from ottla.coordination.blocking_client import BlockingClient
from ottla.coordination.errors import BadVersionError, CoordinationError, NodeExistsError, NoNodeError, NotEmptyError
from ottla.coordination.stat import Stat

# In the order in which ZooKeeper's own shell writes them.
_PERMISSIONS = ((CREATE, "c"), (DELETE, "d"), (READ, "r"), (WRITE, "w"), (ADMIN, "a"))
Command = Callable[[BlockingClient, list[str]], None]


class ShellError(Exception):
    """What is wrong with a command, for the person who typed it."""


def run_shell(connect: str, words: list[str]) -> int:
    """0, or 1 when the last command failed. A terminal gets a prompt."""
    with connected_client(connect) as client:
        if words:
            return _run(client, words)
        code = 0
        for line in _lines():
            parts = shlex.split(line)
            if parts[:1] in (["quit"], ["exit"], ["close"]):
                break
            if parts:
                code = _run(client, parts)
        return code


def _lines() -> Iterable[str]:
    while True:
        if sys.stdin.isatty():
            print("[zk] ", end="", flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        yield line


def _run(client: BlockingClient, words: list[str]) -> int:
    name, *arguments = words
    path = next((word for word in arguments if word.startswith("/")), "")
    try:
        if name not in COMMANDS:
            raise ShellError(f"Command not found: {name}. There are {', '.join(sorted(COMMANDS))}.")
        COMMANDS[name](client, arguments)
        return 0
    except NoNodeError:
        said = f"Node does not exist: {path}"
    except NodeExistsError:
        said = f"Node already exists: {path}"
    except NotEmptyError:
        said = f"Node not empty: {path}"
    except BadVersionError:
        said = f"version No is not valid : {path}"
    except (CoordinationError, ValueError) as error:
        said = f"{type(error).__name__}: {error}"
    except ShellError as error:
        said = str(error)
    sys.stdout.flush()
    print(said, file=sys.stderr)
    return 1


def _path(arguments: list[str], usage: str) -> str:
    path = next((word for word in arguments if word.startswith("/")), None)
    if path is None:
        raise ShellError(f"usage: {usage}")
    return path


def _after(arguments: list[str], path: str) -> list[str]:
    return arguments[arguments.index(path) + 1 :]


def _ls(client: BlockingClient, arguments: list[str]) -> None:
    path = _path([*arguments, "/"], "ls [-s] [-R] path")
    if "-R" in arguments:
        _walk(client, path)
        return
    print(f"[{', '.join(sorted(client.children(path)))}]")
    if "-s" in arguments:
        _print_stat(client.get(path)[1])


def _walk(client: BlockingClient, path: str) -> None:
    print(path)
    for child in sorted(client.children(path)):
        _walk(client, f"{path.rstrip('/')}/{child}")


def _get(client: BlockingClient, arguments: list[str]) -> None:
    data, stat = client.get(_path(arguments, "get [-s] path"))
    print(data.decode("utf-8", "replace"))
    if "-s" in arguments:
        _print_stat(stat)


def _stat(client: BlockingClient, arguments: list[str]) -> None:
    path = _path(arguments, "stat path")
    _print_stat(client.get(path)[1])


def _get_acl(client: BlockingClient, arguments: list[str]) -> None:
    path = _path(arguments, "getAcl [-s] path")
    for entry in client.get_acl(path):
        letters = "".join(letter for bit, letter in _PERMISSIONS if entry.permissions & bit)
        print(f"'{entry.id.scheme},'{entry.id.id}\n: {letters}")
    if "-s" in arguments:
        _print_stat(client.get(path)[1])


def _create(client: BlockingClient, arguments: list[str]) -> None:
    path = _path(arguments, "create [-e] [-s] path [data]")
    data = " ".join(_after(arguments, path)).encode()
    print(f"Created {client.create(path, data, ephemeral='-e' in arguments, sequence='-s' in arguments)}")


def _set(client: BlockingClient, arguments: list[str]) -> None:
    path = _path(arguments, "set [-v version] path data")
    version = int(arguments[arguments.index("-v") + 1]) if "-v" in arguments else -1
    client.set(path, " ".join(_after(arguments, path)).encode(), version)


def _delete(client: BlockingClient, arguments: list[str]) -> None:
    path = _path(arguments, "delete [-v version] path")
    client.delete(path, int(arguments[arguments.index("-v") + 1]) if "-v" in arguments else -1)


def _delete_all(client: BlockingClient, arguments: list[str]) -> None:
    client.delete_all(_path(arguments, "deleteall path"))


def _print_stat(stat: Stat) -> None:
    def date(milliseconds: int) -> str:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%a %b %d %H:%M:%S UTC %Y")

    print(f"cZxid = {stat.czxid:#x}\nctime = {date(stat.ctime)}\nmZxid = {stat.mzxid:#x}\nmtime = {date(stat.mtime)}")
    print(f"pZxid = {stat.pzxid:#x}\ncversion = {stat.cversion}\ndataVersion = {stat.version}")
    print(f"aclVersion = {stat.aversion}\nephemeralOwner = {stat.ephemeral_owner:#x}")
    print(f"dataLength = {stat.data_length}\nnumChildren = {stat.num_children}")


COMMANDS: dict[str, Command] = {
    "ls": _ls,
    "get": _get,
    "stat": _stat,
    "create": _create,
    "getAcl": _get_acl,
    "set": _set,
    "delete": _delete,
    "deleteall": _delete_all,
    "rmr": _delete_all,
}
