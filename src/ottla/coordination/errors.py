"""ZooKeeper's errors, one class per code of its wire protocol.

    CoordinationError
      ZooKeeperError            an answer of the server; `code` is the protocol's number
        NoNodeError, NodeExistsError, BadVersionError, NotEmptyError, NoAuthError, ...
        RequestTooLargeError  refused before it was sent: a server would close the connection instead of answering
      SessionError              there is no answer to rely on
        ConnectionLossError     the connection went away in mid-request: the request may or may not have been executed
        SessionExpiredError     the session is over; its ephemeral nodes are gone or will be
        SessionClosedError      we closed it ourselves
      PayloadError              a znode's bytes are not what they should be; names the path

Reads are repeated inside `Session`; a write that ends in ConnectionLossError is for its caller to look at again.
"""

from typing import ClassVar

from ottla.errors import OttlaError


class CoordinationError(OttlaError):
    """Whatever can go wrong with ZooKeeper."""

    code: ClassVar[int] = -1


class ZooKeeperError(CoordinationError):
    """The server answered with an error code."""

    def __init__(self, path: str = "") -> None:
        super().__init__(f"{type(self).__name__.removesuffix('Error')} for {path}" if path else type(self).__name__)
        self.path = path


class SessionError(CoordinationError):
    """No answer, and none to come."""


class PayloadError(CoordinationError):
    """The bytes of a znode are not the payload that its path promises."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class RequestTooLargeError(ZooKeeperError):
    """More than one request may hold. `path` is that of its largest part."""

    def __init__(self, path: str, size: int, size_max: int) -> None:
        super().__init__(path)
        self.args = (
            f"{path}: the write to ZooKeeper would take {size} bytes, and at most {size_max} fit into one request "
            "(jute.maxbuffer)",
        )


class UnexpectedRefusalError(ZooKeeperError):
    """The server refused with a code that has no class here."""

    def __init__(self, path: str, code: int) -> None:
        super().__init__(path)
        self.args = (f"ZooKeeper refuses with error {code} for {path}",)


class SystemFailureError(ZooKeeperError):
    """The server could not do it, for reasons of its own: no room on its disk, for one."""

    code = -1


class RuntimeInconsistencyError(ZooKeeperError):
    """In the results of a failed multi: this operation was not the one at fault."""

    code = -2


class ConnectionLossError(SessionError):
    code = -4


class MarshallingError(ZooKeeperError):
    code = -5


class UnimplementedError(ZooKeeperError):
    code = -6


class OperationTimeoutError(ZooKeeperError):
    code = -7


class BadArgumentsError(ZooKeeperError):
    code = -8


class NoNodeError(ZooKeeperError):
    code = -101


class NoAuthError(ZooKeeperError):
    code = -102


class BadVersionError(ZooKeeperError):
    code = -103


class NoChildrenForEphemeralsError(ZooKeeperError):
    code = -108


class NodeExistsError(ZooKeeperError):
    code = -110


class NotEmptyError(ZooKeeperError):
    code = -111


class SessionExpiredError(SessionError):
    code = -112


class InvalidAclError(ZooKeeperError):
    code = -114


class AuthFailedError(ZooKeeperError):
    code = -115


class SessionClosedError(SessionError):
    code = -116


class SessionMovedError(ZooKeeperError):
    code = -118


class NoWatcherError(ZooKeeperError):
    code = -121


class QuotaExceededError(ZooKeeperError):
    """The tree, or the part of it that a quota is set on, is as large as it may get."""

    code = -125


class ThrottledError(ZooKeeperError):
    code = -127


ERRORS_BY_CODE: dict[int, type[ZooKeeperError]] = {
    error.code: error
    for error in (
        SystemFailureError,
        RuntimeInconsistencyError,
        MarshallingError,
        UnimplementedError,
        OperationTimeoutError,
        BadArgumentsError,
        NoNodeError,
        NoAuthError,
        BadVersionError,
        NoChildrenForEphemeralsError,
        NodeExistsError,
        NotEmptyError,
        InvalidAclError,
        AuthFailedError,
        SessionMovedError,
        NoWatcherError,
        QuotaExceededError,
        ThrottledError,
    )
}
