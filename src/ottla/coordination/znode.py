"""One znode as the tree keeps it. A `Node` is never changed, only replaced."""

from typing import NamedTuple

from ottla.coordination.acl import OPEN_ACL, READ_ACL, AclList

SYSTEM_PATHS = frozenset({"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"})


class Node(NamedTuple):
    data: bytes | None
    acl: AclList
    czxid: int = 0
    mzxid: int = 0
    ctime: int = 0
    mtime: int = 0
    version: int = 0
    creations: int = 0
    aversion: int = 0
    ephemeral_owner: int = 0
    pzxid: int = 0

    @property
    def data_length(self) -> int:
        return 0 if self.data is None else len(self.data)


def system_nodes() -> dict[str, Node]:
    """What a new ZooKeeper holds."""
    return {
        "/": Node(b"", OPEN_ACL),
        "/zookeeper": Node(b"", OPEN_ACL),
        "/zookeeper/quota": Node(b"", OPEN_ACL),
        "/zookeeper/config": Node(b"", READ_ACL, aversion=-1),
    }
