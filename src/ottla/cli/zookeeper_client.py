"""A ZooKeeper client for commands: synchronous, gone at the end of the block."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from ottla.coordination.blocking_client import BlockingClient
from ottla.coordination.connect_string import parse_connect_string
from ottla.coordination.errors import NoNodeError, SessionError
from ottla.errors.tree import OperatorError

_CONNECT_SECONDS_MAX = 10


@contextmanager
def connected_client(connect: str) -> Iterator[BlockingClient]:
    """A client, connected. OperatorError when no ZooKeeper responds, or when it has no cluster."""
    _check_reachable(connect)
    try:
        with BlockingClient(parse_connect_string(connect), _CONNECT_SECONDS_MAX * 1000) as client:
            yield client
    except SessionError as error:
        raise OperatorError(f"no ZooKeeper answers at {connect}: is it running there?") from error
    except NoNodeError as error:
        raise OperatorError(f"the ZooKeeper at {connect} knows of no cluster: start a broker on it first") from error


def _check_reachable(connect: str) -> None:
    """Somebody listens there: the session would try again for long, and a person wants to know now."""
    problems = []
    for server in parse_connect_string(connect).servers:
        try:
            socket.create_connection(server, _CONNECT_SECONDS_MAX).close()
            return
        except OSError as error:
            problems.append(error.strerror or str(error))
    raise OperatorError(f"no ZooKeeper answers at {connect} ({', '.join(problems)}): is it running there?")
