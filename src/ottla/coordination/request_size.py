"""How large one write to ZooKeeper may be, reckoned before it is sent.

A server answers a request of `jute.maxbuffer` bytes (1,048,575 unless set) or more by closing the connection, which
looks like a lost connection, after which a write is tried again. A server that passes the write on to its peers adds
some bytes of its own. So the bound lies a little lower, and sizes are reckoned a little higher than they are.
"""

from collections.abc import Sequence

from ottla.coordination.errors import RequestTooLargeError
from ottla.coordination.session import CreateOp, Op, SetOp

REQUEST_BYTES_MAX = 0xFFFFF - 4096
_FRAME_BYTES = 64  # around each operation: header, lengths, version, flags
_ACL_BYTES = 32  # around each entry


def check_request_size(ops: Sequence[Op]) -> None:
    """RequestTooLargeError, with the path of the largest operation, when these do not fit into one request."""
    sizes = [_size(op) for op in ops]
    if sum(sizes) > REQUEST_BYTES_MAX:
        largest = max(range(len(ops)), key=sizes.__getitem__)
        raise RequestTooLargeError(ops[largest].path, sum(sizes), REQUEST_BYTES_MAX)


def _size(op: Op) -> int:
    size = _FRAME_BYTES + len(op.path.encode())
    if isinstance(op, CreateOp | SetOp):
        size += len(op.data)
    if isinstance(op, CreateOp):
        size += sum(_ACL_BYTES + len(entry.id.scheme) + len(entry.id.id.encode()) for entry in op.acl or ())
    return size
