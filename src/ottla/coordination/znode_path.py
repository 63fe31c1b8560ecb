"""ZooKeeper's rules for the path of a znode: absolute, no empty, `.` or `..` name, no control characters."""

import re

from ottla.coordination.errors import BadArgumentsError

# Control characters, surrogates and the private use area up to U+F8FF, and the specials at the end of the plane.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\uf8ff\ufff0-\uffff]")


def path_problem(path: str) -> str | None:
    """Why this cannot be the path of a znode, or None when it can."""
    if path == "/":
        return None
    if not path.startswith("/"):
        return "must start with /"
    if path.endswith("/"):
        return "must not end with /"
    if _FORBIDDEN.search(path):
        return "contains a character that is not allowed"
    for name in path[1:].split("/"):
        if not name:
            return "contains an empty name"
        if name in (".", ".."):
            return "is relative"
    return None


def check_path(path: str) -> None:
    if path_problem(path) is not None:
        raise BadArgumentsError(path)


def parent_path(path: str) -> str:
    """The path of the parent; that of `/a` is `/`."""
    return path[: path.rindex("/")] or "/"


def node_name(path: str) -> str:
    return path[path.rindex("/") + 1 :]
