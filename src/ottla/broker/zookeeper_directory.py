"""Whose the embedded ZooKeeper's directory is: of one broker, whose log directories are written down in it.

    ZOOKEEPER_DIR/log.dirs    a path per line, relative to ZOOKEEPER_DIR, so that a copy of both belongs together

By default the directory lies beside the first log directory, so brokers with `log.dirs` s1/a and s1/b share it. If they
ran in turn each would find the other's topics and have no part in them. So a broker that is not its owner is
refused while the owner is there, and may have it when the owner's log directories are gone.

Directories of before this file have no owner written down. Theirs are those beside them which belong to a broker, if
ours belong to none yet.
"""

import os
from collections.abc import Iterable, Sequence

from ottla.disk.atomic_file import read_whole, write_atomically
from ottla.disk.directory import LogDirectory
from ottla.errors import OperatorError
from ottla.storage.log_dir import meta_properties

FILE_NAME = "log.dirs"
KEY = "ottla.zookeeper.data.dir"


def check_owner(zookeeper_dir: str, log_dirs: Sequence[str]) -> None:
    """OperatorError when the directory is another broker's."""
    others = [path for path in _owners(zookeeper_dir, log_dirs) if _belongs_to_a_broker(path)]
    if others:
        raise OperatorError(
            f"{zookeeper_dir} is the embedded ZooKeeper of the broker with log.dirs={','.join(others)}, and this "
            f"broker has log.dirs={','.join(log_dirs)}: give it another {KEY}, or set zookeeper.connect to make both "
            "one cluster"
        )


def write_owner(zookeeper_dir: str, log_dirs: Sequence[str]) -> None:
    """LogDirError when it cannot be written."""
    content = "".join(f"{os.path.relpath(os.path.realpath(d), os.path.realpath(zookeeper_dir))}\n" for d in log_dirs)
    directory, path = LogDirectory(zookeeper_dir), os.path.join(zookeeper_dir, FILE_NAME)
    if read_whole(directory, path) != content.encode():
        write_atomically(directory, path, content.encode())


def _owners(zookeeper_dir: str, log_dirs: Sequence[str]) -> Iterable[str]:
    """The log directories of the owner; empty when it is us, or nobody."""
    ours = {os.path.realpath(path) for path in log_dirs}
    written = read_whole(LogDirectory(zookeeper_dir), os.path.join(zookeeper_dir, FILE_NAME))
    if written is not None:
        lines = [line for line in written.decode("utf-8", "surrogateescape").splitlines() if "\0" not in line]
        owners = [os.path.normpath(os.path.join(os.path.realpath(zookeeper_dir), line)) for line in lines]
        return [] if ours.intersection(map(os.path.realpath, owners)) else owners
    if not os.path.isdir(zookeeper_dir) or any(_belongs_to_a_broker(path) for path in log_dirs):
        return []
    beside = os.path.dirname(os.path.abspath(zookeeper_dir))
    return [path for name in sorted(os.listdir(beside)) if (path := os.path.join(beside, name)) not in ours]


def _belongs_to_a_broker(log_dir: str) -> bool:
    return os.path.exists(os.path.join(log_dir, meta_properties.FILE_NAME))
