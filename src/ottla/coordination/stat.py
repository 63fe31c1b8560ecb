"""What ZooKeeper tells about a znode, and its fixed wire form.

OFFSET SIZE FIELD
0      8    czxid            the transaction that created the node
8      8    mzxid            the last one that set its data
16     8    ctime            ms since 1970
24     8    mtime
32     4    version          of the data; -1 in a request means "whatever it is"
36     4    cversion         changes of the list of children: creations and deletions
40     4    aversion         changes of the ACL
44     8    ephemeralOwner   session id; 0 for a node that belongs to none
52     4    dataLength
56     4    numChildren
60     8    pzxid            the last transaction that created or deleted a child
"""

import struct
from typing import NamedTuple

STAT_STRUCT = struct.Struct(">qqqqiiiqiiq")


class Stat(NamedTuple):
    czxid: int
    mzxid: int
    ctime: int
    mtime: int
    version: int
    cversion: int
    aversion: int
    ephemeral_owner: int
    data_length: int
    num_children: int
    pzxid: int

    def encode(self) -> bytes:
        return STAT_STRUCT.pack(*self)


def decode_stat(buffer: bytes | memoryview, position: int = 0) -> Stat:
    return Stat._make(STAT_STRUCT.unpack_from(buffer, position))


def int32(value: int) -> int:
    """Wrap as Java's int does: a version after 2,147,483,647 is negative, not an error."""
    return (value + 0x8000_0000 & 0xFFFF_FFFF) - 0x8000_0000


def next_version(version: int) -> int:
    """The version after this one. -1 is skipped, since a client could not ask for it (ZOOKEEPER-4743)."""
    following = int32(version + 1)
    return 0 if following == -1 else following
