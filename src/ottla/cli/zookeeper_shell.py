"""A shell for ZooKeeper with the commands of its own `zkCli`: one from the command line, or lines of standard input."""

import shlex
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from ottla.cli.zookeeper_client import connected_client

Command = Callable[[Any, list[str]], None]


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


def _run(client: Any, words: list[str]) -> int:
    from kazoo.exceptions import (
        BadVersionError,
        KazooException,
        NodeExistsError,
        NoNodeError,
        NotEmptyError,
    )  # fmt: skip

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
    except (KazooException, ValueError) as error:
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


def _ls(client: Any, arguments: list[str]) -> None:
    path = _path([*arguments, "/"], "ls [-s] [-R] path")
    if "-R" in arguments:
        _walk(client, path)
        return
    children, stat = client.get_children(path, include_data=True)
    print(f"[{', '.join(sorted(children))}]")
    if "-s" in arguments:
        _print_stat(stat)


def _walk(client: Any, path: str) -> None:
    print(path)
    for child in sorted(client.get_children(path)):
        _walk(client, f"{path.rstrip('/')}/{child}")


def _get(client: Any, arguments: list[str]) -> None:
    data, stat = client.get(_path(arguments, "get [-s] path"))
    print("null" if data is None else data.decode("utf-8", "replace"))
    if "-s" in arguments:
        _print_stat(stat)


def _stat(client: Any, arguments: list[str]) -> None:
    path = _path(arguments, "stat path")
    _print_stat(client.get(path)[1])


def _create(client: Any, arguments: list[str]) -> None:
    path = _path(arguments, "create [-e] [-s] path [data]")
    data = " ".join(_after(arguments, path)).encode()
    print(f"Created {client.create(path, data, ephemeral='-e' in arguments, sequence='-s' in arguments)}")


def _set(client: Any, arguments: list[str]) -> None:
    path = _path(arguments, "set [-v version] path data")
    version = int(arguments[arguments.index("-v") + 1]) if "-v" in arguments else -1
    client.set(path, " ".join(_after(arguments, path)).encode(), version)


def _delete(client: Any, arguments: list[str]) -> None:
    path = _path(arguments, "delete [-v version] path")
    client.delete(path, int(arguments[arguments.index("-v") + 1]) if "-v" in arguments else -1)


def _delete_all(client: Any, arguments: list[str]) -> None:
    client.delete(_path(arguments, "deleteall path"), recursive=True)


def _get_acl(client: Any, arguments: list[str]) -> None:
    for acl in client.get_acls(_path(arguments, "getAcl path"))[0]:
        print(f"'{acl.id.scheme},'{acl.id.id}\n: {_permissions(acl.perms)}")


def _permissions(bits: int) -> str:
    return "".join(letter for bit, letter in ((4, "c"), (8, "d"), (1, "r"), (2, "w"), (16, "a")) if bits & bit)


def _print_stat(stat: Any) -> None:
    def date(milliseconds: int) -> str:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%a %b %d %H:%M:%S UTC %Y")

    print(f"cZxid = {stat.czxid:#x}\nctime = {date(stat.ctime)}\nmZxid = {stat.mzxid:#x}\nmtime = {date(stat.mtime)}")
    print(f"pZxid = {stat.pzxid:#x}\ncversion = {stat.cversion}\ndataVersion = {stat.version}")
    print(f"aclVersion = {stat.aversion}\nephemeralOwner = {stat.ephemeralOwner:#x}")
    print(f"dataLength = {stat.dataLength}\nnumChildren = {stat.numChildren}")


COMMANDS: dict[str, Command] = {
    "ls": _ls,
    "get": _get,
    "stat": _stat,
    "create": _create,
    "set": _set,
    "delete": _delete,
    "deleteall": _delete_all,
    "rmr": _delete_all,
    "getAcl": _get_acl,
}
