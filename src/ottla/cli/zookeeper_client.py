"""A plain ZooKeeper client for commands: kazoo, synchronous, gone at the end of the block."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ottla.coordination.connect_string import parse_connect_string
from ottla.errors.tree import OperatorError

_CONNECT_SECONDS_MAX = 10


@contextmanager
def connected_client(connect: str) -> Iterator[Any]:
    """A KazooClient, connected. OperatorError when nobody answers."""
    from kazoo.client import KazooClient
    from kazoo.exceptions import KazooException, NoNodeError
    from kazoo.handlers.threading import KazooTimeoutError

    _check_reachable(connect)
    client = KazooClient(hosts=connect, timeout=_CONNECT_SECONDS_MAX)
    try:
        client.start(timeout=_CONNECT_SECONDS_MAX)
    except (KazooTimeoutError, KazooException) as error:
        client.close()
        raise OperatorError(f"no ZooKeeper answers at {connect}: is it running there?") from error
    try:
        yield client
    except NoNodeError as error:
        raise OperatorError(f"the ZooKeeper at {connect} knows of no cluster: start a broker on it first") from error
    finally:
        client.stop()
        client.close()


def _check_reachable(connect: str) -> None:
    """Somebody listens there: kazoo would try again for long, and a person wants to know now."""
    problems = []
    for server in parse_connect_string(connect).servers:
        try:
            socket.create_connection(server, _CONNECT_SECONDS_MAX).close()
            return
        except OSError as error:
            problems.append(error.strerror or str(error))
    raise OperatorError(f"no ZooKeeper answers at {connect} ({', '.join(problems)}): is it running there?")
